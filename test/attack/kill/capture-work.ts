import { corev1, isConditionTrue } from '@kubewright/kube';
import { MANIFEST_CAPTURE_REQUESTS, readCheckpoint } from '@kubewright/operators';
import type { Installation } from '../installation.ts';
import { keepTrying } from './keep-trying.ts';
import type { Work } from './work.ts';

const NAMESPACE = 'kill-capture';
const OBJECTS = 40;

/** A capture of a namespace each round. */
export function captureWork({ client, namespace }: Installation): Work {
  const requests: string[] = [];

  async function faultOf(name: string): Promise<string | undefined> {
    const { status } = await client.get(MANIFEST_CAPTURE_REQUESTS, { namespace: NAMESPACE, name });
    if (!isConditionTrue(status?.conditions, 'Ready')) return `capture: request ${name} is not Ready`;
    const objects = await readCheckpoint(client, status?.checkpointName ?? '');
    return objects.length === OBJECTS
      ? undefined
      : `capture: ${name} has ${objects.length} of ${OBJECTS} objects`;
  }

  return {
    name: 'capture',
    async prepare() {
      await namespace(NAMESPACE);
      for (let index = 0; index < OBJECTS; index++)
        await client.create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `content-${index}`, namespace: NAMESPACE, labels: { kill: 'content' } },
          data: { index: String(index) },
        });
    },
    async begin(round) {
      const name = `capture-${round}`;
      await keepTrying(() =>
        client.create(MANIFEST_CAPTURE_REQUESTS, {
          apiVersion: `${MANIFEST_CAPTURE_REQUESTS.group}/${MANIFEST_CAPTURE_REQUESTS.version}`,
          kind: MANIFEST_CAPTURE_REQUESTS.kind,
          metadata: { name, namespace: NAMESPACE },
          spec: {
            selection: {
              kinds: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
              labelSelector: { matchLabels: { kill: 'content' } },
            },
          },
        }),
      );
      requests.push(name);
    },
    async faults() {
      const faults = await Promise.all(requests.map(faultOf));
      return faults.filter((fault) => fault !== undefined);
    },
  };
}
