import type { Clock } from '@kubewright/client';
import type { Json, JsonObject, KubeObject, ManagedFieldsEntry } from '@kubewright/kube';
import type { ResourceState } from '../api.ts';
import { readManifest } from '../observe/manifest.ts';
import { DEFAULT_POLICY, type MigrationPolicy } from '../policy.ts';
import { type ResourceResult, reconcileResource } from '../reconcile-resource.ts';
import type { Answer, Target } from '../target.ts';
import { entry, initContainers, item, live } from './claims.ts';
import { answered, fakeTarget, refused } from './fake-target.ts';

/** Time stands still and every wait is over at once. */
const clock: Clock = {
  now: () => Date.UTC(2026, 0, 1),
  monotonic: () => 0,
  after(_ms, callback) {
    queueMicrotask(callback);
    return () => undefined;
  },
};

export const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {}, 'f:name': {} } });
const theirs = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:command': {} } });
export const split = live([entry('eno', 'Apply', own), entry('Go-http-client', 'Update', theirs)]);
const alone = live([entry('eno', 'Apply', { 'f:spec': {} })], []);
export const applied: KubeObject = { ...alone, metadata: { ...alone.metadata, resourceVersion: '9' } };
export const shell = 'spec.template.spec.initContainers[0].image: Required value';

/** One pass over `web`, which a manifest describes. */
export function run(
  target: Target,
  manifest: { object?: KubeObject; deleted?: boolean; annotations?: JsonObject } = {},
  policy: Partial<MigrationPolicy> = {},
  state: ResourceState = {},
): Promise<ResourceResult> {
  const metadata = { name: 'web', namespace: 'shop', annotations: manifest.annotations ?? {} };
  const object = manifest.object ?? { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: {} };
  const read = readManifest({ manifest: JSON.stringify(object), deleted: manifest.deleted ?? false });
  if (typeof read === 'string') throw new Error(read);
  const deps = { target, clock, random: () => 0, policy: { ...DEFAULT_POLICY, ...policy } };
  return reconcileResource(read, state, deps, () => Promise.resolve());
}

/** A server that takes rewrites, refuses the dry run while the item is shared, and then applies. */
export function server(first: KubeObject): ReturnType<typeof fakeTarget> & { current: KubeObject } {
  const state = { current: first };
  const isShared = (): boolean =>
    (state.current.metadata.managedFields ?? []).some(
      ({ manager, fieldsV1 }) => manager !== 'eno' && JSON.stringify(fieldsV1).includes('{".":{}'),
    );
  const target = fakeTarget({
    get: () => Promise.resolve(state.current),
    apply: (_object, { manager, dryRun }) => Promise.resolve(apply(manager, dryRun)),
    patchJson: (_ref, patch) => Promise.resolve(answered((state.current = rewritten(state.current, patch)))),
  });
  function apply(manager: string, dryRun: boolean): Answer {
    if (manager === 'kubewright-probe')
      return answered({ ...first, metadata: { ...first.metadata, managedFields: [] } });
    if (isShared()) return refused(422, shell);
    if (!dryRun) state.current = applied;
    return answered(applied);
  }
  return Object.assign(target, {
    get current() {
      return state.current;
    },
  });
}

/** What a server makes of a rewrite of managedFields. */
export function rewritten(object: KubeObject, patch: Json): KubeObject {
  const [fields] = patch as unknown as readonly { value: readonly ManagedFieldsEntry[] }[];
  const next = String(Number(object.metadata.resourceVersion) + 1);
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: fields?.value ?? [], resourceVersion: next },
  };
}
