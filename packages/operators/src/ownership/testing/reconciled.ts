import type { Json, KubeObject, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import type { Answer, AnyKindApi } from '../../kit/any-kind-api.ts';
import { answered, fakeAnyKindApi, refused } from '../../kit/testing/fake-any-kind-api.ts';
import { type Ran, runWith } from '../../kit/testing/run-with.ts';
import { act } from '../act.ts';
import type { ResourceState } from '../api.ts';
import { manifestSteps } from '../manifest-steps.ts';
import { readManifest } from '../read-manifest.ts';
import { DEFAULT_POLICY, type MigrationPolicy } from '../migration-policy.ts';
import { entry, initContainers, item, live } from './claims.ts';

/** One pass over one manifest. */
export function reconcileManifest(
  api: AnyKindApi,
  manifest: { readonly object: KubeObject; readonly deleted?: boolean },
  policy: Partial<MigrationPolicy> = {},
  state: ResourceState = {},
): Promise<Ran<ResourceState>> {
  const { object, deleted = false } = manifest;
  const read = readManifest({ manifest: JSON.stringify(object), deleted });
  if (typeof read === 'string') throw new TypeError(read);
  const tools = { api, act, policy: { ...DEFAULT_POLICY, ...policy } };
  const metadata = { name: 'slice', namespace: 'shop', uid: 'slice', resourceVersion: '1' };
  const slice = { apiVersion: 'eno.azure.io/v1', kind: 'ResourceSlice', metadata };
  return runWith((stateOf) => manifestSteps(read, { slice, stateOf }, tools), state);
}

export const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {}, 'f:name': {} } });
const theirs = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:command': {} } });
export const split = live([entry('eno', 'Apply', own), entry('Go-http-client', 'Update', theirs)]);
const alone = live([entry('eno', 'Apply', { 'f:spec': {} })], []);
export const applied: Stored = { ...alone, metadata: { ...alone.metadata, resourceVersion: '9' } };
export const shell = 'spec.template.spec.initContainers[0].image: Required value';

/** One pass over `web`, which a manifest describes. */
export function run(
  api: AnyKindApi,
  manifest: { object?: KubeObject; deleted?: boolean; annotations?: Readonly<Record<string, string>> } = {},
  policy: Partial<MigrationPolicy> = {},
  state: ResourceState = {},
): Promise<Ran<ResourceState>> {
  const metadata = { name: 'web', namespace: 'shop', annotations: manifest.annotations ?? {} };
  const object = manifest.object ?? { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: {} };
  return reconcileManifest(api, { object, deleted: manifest.deleted ?? false }, policy, state);
}

/** A server that takes rewrites, refuses the dry run while the item is shared, and then applies. */
export function server(first: Stored): ReturnType<typeof fakeAnyKindApi> & { current: Stored } {
  const state = { current: first };
  const isShared = (): boolean =>
    (state.current.metadata.managedFields ?? []).some(
      ({ manager, fieldsV1 }) => manager !== 'eno' && JSON.stringify(fieldsV1).includes('{".":{}'),
    );
  const target = fakeAnyKindApi({
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
export function rewritten(object: Stored, patch: Json): Stored {
  const [fields] = patch as unknown as readonly { value: readonly ManagedFieldsEntry[] }[];
  const next = String(Number(object.metadata.resourceVersion) + 1);
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: fields?.value ?? [], resourceVersion: next },
  };
}
