import type { Stored } from '@kubewright/kube';
import type { Path } from '@kubewright/kube/fields';
import type { Done, Steps } from '@kubewright/runtime';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import type { act } from './act.ts';
import type { OwnershipReport, ResourceSlice, ResourceState } from './api.ts';
import { decideResource } from './decide/decide-resource.ts';
import { type DecideContext, failed, type ResourceAction } from './decide/outcomes.ts';
import { undoneRemovals } from './decide/undone-removals.ts';
import type { DesiredManifest } from './observe/manifest.ts';
import { type ObservedResource, observeResource } from './observe/observe-resource.ts';
import type { MigrationPolicy } from './policy.ts';

/** With what the operator works on the objects that it manages. */
export type OwnershipTools = { readonly api: AnyKindApi; readonly act: typeof act };

/** What each pass works with beside the tools. */
export type PassSettings = {
  readonly policy: MigrationPolicy;
  /** Per object, what an apply gave up and a webhook put back: a pass that fails must not forget it. */
  readonly undone: Map<string, readonly Path[]>;
};

type Observed = ObservedResource & { readonly previous: ResourceState };

/** What a pass has written already. */
type Writes = readonly Done<ResourceAction>[];

/** The steps by which one object is brought to its manifest. `stateOf` gives what the slice's status says of it. */
export function manifestSteps(
  manifest: DesiredManifest,
  { slice, stateOf }: { readonly slice: Stored<ResourceSlice>; readonly stateOf: () => ResourceState },
  { api, act, policy, undone }: OwnershipTools & PassSettings,
): Steps<Observed, ResourceAction, ResourceState> {
  /** The object as the last write returned it: after a rewrite or an apply, the response is the live object. */
  let known: Stored | undefined;
  let moved: OwnershipReport | undefined;
  const { apiVersion, kind, metadata } = manifest.object;
  const key = [slice.metadata.uid, apiVersion, kind, metadata.namespace, metadata.name].join('/');
  const { hasReadinessChecks } = manifest;
  const contextOf = ({ previous }: Observed, now: Date, done: Writes = []): DecideContext => {
    const applies = done.filter(({ reason }) => reason === 'Apply' || reason === 'Create').length;
    return { previous, policy, now, hasReadinessChecks, applies, undone: undone.get(key) ?? [] };
  };
  return {
    async observe() {
      const last = known;
      known = undefined;
      const previous = moved === undefined ? stateOf() : { ...stateOf(), ownership: moved };
      return { ...(await observeResource(manifest, api, last)), previous };
    },
    decide: (observed, now, done) => decideResource(observed, contextOf(observed, now, done)),
    async act(action) {
      // On record by now: each decision that writes says again what was moved before.
      moved = undefined;
      const { outcome, object } = await act(action, api);
      if (outcome !== 'done') return outcome;
      // After a deletion only a look tells.
      known = action.type === 'delete' ? undefined : object;
      if (action.type === 'rewrite') moved = action.report;
      const lost = action.type === 'apply' ? lostBy(action, object) : [];
      if (lost.length > 0) undone.set(key, lost);
      else undone.delete(key);
      return 'done';
    },
    subject: () => slice,
    refused: (observed, { code, reason, message }, now) =>
      failed(code === undefined ? reason : 'Refused', message, contextOf(observed, now)),
  };
}

function lostBy(
  { live }: Extract<ResourceAction, { type: 'apply' }>,
  after: Stored | undefined,
): readonly Path[] {
  return live === undefined || after === undefined ? [] : undoneRemovals(live, after);
}
