import { type Client, systemClock } from '@kubewright/client';
import { appsv1, corev1, isConditionTrue, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { configurationResource, isTrusted, OperatorError } from '@kubewright/operators';
import { RuntimeError, waitForObject } from '@kubewright/runtime';
import { labelsOf } from '../run/manager-objects.ts';
import { troubleOf } from '../doctor/check-replicas.ts';

type Patience = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly progress: (line: string) => void;
};

/**
 * Resolves with the number of replicas when all of them are ready, and API servers trust the webhooks and APIs that they serve. Rejects
 * with `TimedOut` and what it waited for.
 */
export async function untilWorking(
  client: Client,
  objects: readonly KubeObject[],
  { signal, timeoutMs, progress }: Patience,
): Promise<number> {
  const until = systemClock.monotonic() + timeoutMs;
  const wait = (): { readonly signal: AbortSignal; readonly timeoutMs: number } => ({
    signal,
    timeoutMs: Math.max(until - systemClock.monotonic(), 0),
  });
  let replicas = 0;
  for (const { metadata } of objects.filter(({ kind }) => kind === 'Deployment')) {
    const { name = '', namespace = '' } = metadata;
    const isReady = (live: appsv1.Deployment | undefined): boolean => {
      const { ready, wanted } = readyIn(live);
      progress(`waiting for the replicas: ${ready} of ${wanted} are ready`);
      replicas = wanted;
      return ready === wanted;
    };
    await waitForObject(client, appsv1.deployments, { namespace, name }, isReady, wait()).catch(
      async (error: unknown) => {
        throw signal.aborted ? error : await explain(error, client, { namespace, name });
      },
    );
  }
  progress('waiting until API servers trust the webhooks');
  for (const object of objects) {
    const ref = configurationOf(object);
    if (ref === undefined) continue;
    const key = { name: object.metadata.name ?? '' };
    await waitForObject(client, ref, key, (live) => isTrusted(live) && isAvailable(live), wait());
  }
  progress('');
  return replicas;
}

const NONE = { updatedReplicas: 0, availableReplicas: 0, replicas: 0, observedGeneration: 0 };

/** Of the newest template, and no older ones beside them. */
function readyIn(live: appsv1.Deployment | undefined): { readonly ready: number; readonly wanted: number } {
  const wanted = live?.spec?.replicas ?? 1;
  const { updatedReplicas, availableReplicas, replicas, observedGeneration } = { ...NONE, ...live?.status };
  const isSeen = observedGeneration === live?.metadata.generation;
  const ready = isSeen ? Math.min(updatedReplicas, availableReplicas) : 0;
  return { ready: replicas === updatedReplicas ? ready : Math.min(ready, wanted - 1), wanted };
}

function configurationOf({ apiVersion, kind }: KubeObject) {
  const { group } = parseApiVersion(apiVersion);
  if (!/^(admissionregistration|apiregistration)\.k8s\.io$/.test(group)) return undefined;
  return configurationResource(kind as Parameters<typeof configurationResource>[0]);
}

function isAvailable(live: KubeObject | undefined): boolean {
  if (live?.kind !== 'APIService') return true;
  const { conditions } = (live['status'] ?? {}) as { readonly conditions?: never };
  return isConditionTrue(conditions, 'Available');
}

async function explain(
  error: unknown,
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<unknown> {
  if (!(error instanceof RuntimeError)) return error;
  const labelSelector = Object.entries(labelsOf(name))
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const { items } = await client.list(corev1.pods, { namespace, labelSelector });
  const [first] = items.flatMap(troubleOf);
  const why = first === undefined ? 'it has no pods' : `${first.what}; next: ${first.fix ?? ''}`;
  return new OperatorError('TimedOut', `Deployment ${name} is not ready in time: ${why}`, { cause: error });
}
