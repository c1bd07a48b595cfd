import { defined, type Stored } from '@kubewright/kube';
import type { Result } from '@kubewright/runtime';
import { atVersion } from '../kit/any-kind-api.ts';
import type { ManifestState, ResourceSlice } from './api.ts';
import { withApplied } from './decide/applied-fields.ts';
import { done } from './decide/resource-decision.ts';
import { manifestKey } from './inventory.ts';
import type { Item } from './mentioned.ts';
import { readySince } from './readiness.ts';
import { reconcileInterval } from './reconcile-interval.ts';
import type { SlicePass } from './reconcile-manifest.ts';
import type { SliceStates } from './slice-states.ts';
import { isDirect, isTaken } from './rest/direct-apply.ts';
import type { Look } from './rest/rest-of.ts';
import type { RestItem, RestPass } from './rest/rest-pass.ts';

/** What is done about an object without a look at it. */
export type ItemRest = {
  /** Nothing: it is as the last look left it. */
  readonly known: () => Result | undefined;
  /** Its manifest was applied, and nothing else is to be done. Undefined: it has to be looked at. */
  readonly applied: () => Promise<Result | undefined>;
  readonly note: (look: Look) => void;
};

type Place = {
  readonly slice: Stored<ResourceSlice>;
  readonly task: 'apply' | 'delete' | 'prune';
  readonly states: SliceStates;
  readonly pass: SlicePass;
};

/** Undefined for what is looked at each time: tombstones, Patches, and what other Compositions have too. */
export function restOfItem(
  { index, manifest }: Item,
  isShared: boolean,
  place: Place,
  rest: RestPass,
): ItemRest | undefined {
  const { slice, task, states } = place;
  if (task !== 'apply' || isShared || manifest.deleted || manifest.patch !== undefined) return undefined;
  const item = { manifest, text: slice.spec?.resources?.[index]?.manifest ?? '' };
  const key = manifestKey(manifest);
  const state = (): ManifestState => ({ ...states.of(index), ...defined({ applied: states.applied(key) }) });
  return {
    known() {
      const found = rest.known(item, state());
      if (found === undefined) return undefined;
      // After the slice has changed, its status says nothing of the object yet.
      if (Object.keys(states.of(index)).length === 0)
        states.set(index, { reconciled: true, ...defined({ ready: found.readySince }) });
      return found.result;
    },
    async applied() {
      const version = rest.unchanged(item, state());
      rest.forget(item);
      const look = version === undefined ? undefined : await applyDirectly(item, version, place);
      if (look?.decision.status === undefined) return undefined;
      const { applied, ...reported } = look.decision.status;
      states.set(index, reported);
      states.setApplied(key, applied);
      rest.note(item, look);
      return defined({ requeueAfter: look.decision.requeueAfter });
    },
    note: (look) => rest.note(item, look),
  };
}

/** One write, at the version that is remembered: the server rejects it if the object has changed since. */
async function applyDirectly(
  { manifest }: RestItem,
  version: string,
  { states, pass }: Place,
): Promise<Look | undefined> {
  const { tools, io } = pass;
  const applied = states.applied(manifestKey(manifest));
  if (applied === undefined || tools.disableApply === true || !isDirect(manifest, applied, tools.policy))
    return undefined;
  const { apiVersion, kind, metadata } = manifest.object;
  const [uid = '', resourceVersion = ''] = version.split(' ');
  const live: Stored = { apiVersion, kind, metadata: { ...metadata, uid, resourceVersion } };
  const action = { type: 'apply', object: atVersion(manifest.object, live), live } as const;
  const own = { ...io, log: io.log.child({ manifest: `${kind} ${metadata.name}` }) };
  pass.report(own, { reason: 'Apply', action }, true);
  const { outcome, object } = await tools.act(action, tools.api);
  if (outcome !== 'done' || object === undefined || !isTaken(manifest.object, applied, object))
    return undefined;
  const since = readySince(manifest.readiness, object, new Date(io.clock.now()));
  const status = withApplied({ reconciled: true, ...defined({ ready: since }) }, object);
  const interval = reconcileInterval(manifest.settings, tools.defaultInterval);
  const decision = done('InSync', status, { interval });
  pass.report(own, decision, true);
  return { observed: { manifest, live: object, previous: status }, decision, readySince: since };
}
