import { isForbidden } from '@kubewright/client';
import { corev1, errorText, type JsonObject } from '@kubewright/kube';
import { DRIFT_ANNOTATIONS } from '@kubewright/operators';
import { type Attack, inputs } from './attack.ts';
import type { Installation } from './installation.ts';
import { lookFromNow, trackNamespace } from './tracked-namespace.ts';

const NAMESPACE = 'lists';
/** As many as fit into what a server stores. */
const ENTRIES = 12_000;
/** The garbage collector reads each of them. */
const OWNERS = 500;
/** Of each object, after it has its list. */
const WRITES = 10;

const list = Array.from({ length: ENTRIES }, (_, index) => ({ name: `w${index}` }));
const hashes = Array.from({ length: ENTRIES }, (_, index) => index.toString(36).padStart(5, '0')).join();
const LISTS = {
  [DRIFT_ANNOTATIONS.approvals]: JSON.stringify(list),
  [DRIFT_ANNOTATIONS.rejections]: JSON.stringify(list),
  [DRIFT_ANNOTATIONS.freeze]: JSON.stringify({ tree: list }),
  [DRIFT_ANNOTATIONS.trace]: JSON.stringify(list),
  [DRIFT_ANNOTATIONS.updaters]: hashes,
  [DRIFT_ANNOTATIONS.controllers]: hashes,
  [DRIFT_ANNOTATIONS.usedApprovals]: hashes,
} as const;

const ownersBeside = (uid: string) => [
  ...Array.from({ length: OWNERS }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: `owner-${index}`,
    uid: `uid-${index}`,
  })),
  // Which keeps the object.
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'plain', uid, controller: true },
];

/** An editor of a namespace, with the ConfigMaps that are the editor's own. */
export const longLists: Attack = {
  name: 'long-lists',
  about:
    'an editor of a namespace writes 12,000 entries into each annotation of drift, and 500 owner references, on own ConfigMaps',
  async play(installation: Installation) {
    const { client, as, namespace } = installation;
    await namespace(NAMESPACE);
    const plain = await client.create(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: NAMESPACE, name: 'plain' },
    });
    // Nobody tracks the namespace yet: all of this is stored.
    const names = Object.keys(LISTS).map((_, index) => `list-${index}`);
    for (const [index, [key, value]] of Object.entries(LISTS).entries())
      await client.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: NAMESPACE, name: names[index] ?? '', annotations: { [key]: value } },
      });
    await client.create(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: NAMESPACE, name: 'owned', ownerReferences: ownersBeside(plain.metadata.uid) },
    });
    await trackNamespace(client, NAMESPACE);
    const editor = as('editor', ['system:masters']);
    const patch = (name: string, body: JsonObject): Promise<unknown> =>
      editor.patch(corev1.configmaps, { namespace: NAMESPACE, name }, { type: 'merge', body });
    // With an owner of this kind.
    await patch('owned', { data: { write: 'first' } });
    await lookFromNow(installation);
    const effects: string[] = [];
    for (let write = 0; write < inputs(WRITES); write++) {
      // All at once, and each of them reads what is there.
      await Promise.all([...names, 'owned'].map((name) => patch(name, { data: { write: String(write) } })));
      // New ones are denied: they would be compared with those before.
      for (const key of [
        DRIFT_ANNOTATIONS.approvals,
        DRIFT_ANNOTATIONS.rejections,
        DRIFT_ANNOTATIONS.freeze,
      ]) {
        const annotations = { [key]: LISTS[key] };
        const outcome = await patch('plain', { metadata: { annotations } }).catch((error: unknown) => error);
        if (!isForbidden(outcome) || !errorText(outcome).includes('Too many'))
          effects.push(`${key} with ${ENTRIES} entries: ${errorText(outcome).slice(0, 200)}`);
      }
    }
    return { inputs: inputs(WRITES) * (names.length + 1 + 3), effects };
  },
};
