import { defined, type Stored } from '@kubewright/kube';
import type { Done, Steps } from '@kubewright/runtime';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import type { act } from './act.ts';
import type { Composition, ResourceSlice, ManifestState } from './api.ts';
import { decideResource } from './decide/decide-resource.ts';
import {
  type DecideContext,
  failed,
  type HandOver,
  type ResourceAction,
  type ResourceDecision,
  undone,
} from './decide/resource-decision.ts';
import { deletionStrategy, type DesiredManifest } from './read-manifest.ts';
import type { ObservedResource } from './decide/observed-resource.ts';
import type { OtherCompositions } from './holders/other-compositions.ts';
import { observe } from './observe.ts';
import type { MigrationPolicy } from './migration-policy.ts';
import { PassMemory } from './pass-memory.ts';
import { readySince } from './readiness.ts';
import type { isAtRest } from './rest/is-at-rest.ts';
import type { Look } from './rest/rest-of.ts';
import { reconcileInterval } from './reconcile-interval.ts';

/** With what the operator works on the objects that it manages. */
export type OwnershipTools = {
  readonly api: AnyKindApi;
  readonly act: typeof act;
  /** Whether an object is as the last look left it; default: {@link isAtRest}. */
  readonly isAtRest?: typeof isAtRest;
};

/** What each pass works with beside the tools. */
export type PassSettings = {
  readonly policy: MigrationPolicy;
  /** Whether server-side apply is disabled. */
  readonly disableApply?: boolean;
  /** Whether failures count as success, of manifests that do not say so themselves. */
  readonly failOpen?: boolean;
  /** Whether the process works on a manifest, given as JSON; absent: on all. */
  readonly selects?: (manifest: string, composition: Composition) => boolean;
  /** Milliseconds between two looks at an object whose manifest asks for the default interval. */
  readonly defaultInterval?: number;
};

type Observed = ObservedResource & { readonly previous: ManifestState };

function factsOf({ manifest, live, previous }: Observed, now: Date, settings: PassSettings) {
  return {
    previous,
    now,
    readySince: readySince(manifest.readiness, live, now),
    failOpen: isFailOpen(manifest, settings),
    exists: live !== undefined,
    interval: reconcileInterval(manifest.settings, settings.defaultInterval),
  };
}

const APPLIES: ReadonlySet<string> = new Set(['Apply', 'Create', 'Merge', 'Patch', 'Replace']);

/** A foreground deletion always waits. */
export function isFailOpen(
  { failOpen, deleted, settings }: DesiredManifest,
  byDefault: PassSettings,
): boolean {
  const isForeground = deleted && deletionStrategy(settings) === 'foreground';
  return (failOpen ?? byDefault.failOpen === true) && !isForeground;
}

/** What a pass has written already. */
type Writes = readonly Done<ResourceAction | HandOver>[];

/** What is asked of other Compositions before an object is deleted, and left to them. */
export type Elsewhere = Pick<OtherCompositions, 'wantedBy' | 'handOver'>;

type Scene = {
  readonly slice: Stored<ResourceSlice>;
  /** What the slice's status says of the object. */
  readonly stateOf: () => ManifestState;
  /** The other Compositions; absent: there are none. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Called with each look. */
  readonly onLook?: ((look: Look) => void) | undefined;
};

/** The steps by which one object is brought to its manifest. */
export function manifestSteps(
  manifest: DesiredManifest,
  { slice, stateOf, elsewhere, onLook }: Scene,
  { api, act, ...settings }: OwnershipTools & PassSettings,
): Steps<Observed, ResourceAction | HandOver, ManifestState> {
  const { policy, disableApply = false } = settings;
  const memory = new PassMemory();
  const contextOf = (observed: Observed, now: Date, done: Writes = []): DecideContext => ({
    ...factsOf(observed, now, settings),
    policy,
    disableApply,
    rejected: memory.rejected,
    ...defined({ migrated: memory.migrated }),
    applies: done.filter(({ reason }) => APPLIES.has(reason)).length,
  });
  return {
    async observe() {
      const { moved } = memory;
      const previous = moved === undefined ? stateOf() : { ...stateOf(), ownership: moved };
      const known = memory.takeKnown();
      const observed = await observe(manifest, api, {
        known,
        wantedBy: elsewhere?.wantedBy,
        ...(disableApply ? { mergeFrom: previous } : {}),
      });
      return { ...observed, previous };
    },
    decide: (observed, now, done) => decided(observed, contextOf(observed, now, done), onLook),
    act: async (action) =>
      action.type === 'handOver'
        ? (elsewhere?.handOver(action.live) ?? 'done')
        : memory.noteWrite(action, await act(action, api)),
    subject: () => slice,
    refused: (observed, { code, reason, message }, now) =>
      code === undefined
        ? undone(reason, message, contextOf(observed, now))
        : failed('Refused', message, contextOf(observed, now)),
  };
}

function decided(observed: Observed, context: DecideContext, onLook: Scene['onLook']): ResourceDecision {
  const decision = decideResource(observed, context);
  onLook?.({ observed, decision, readySince: context.readySince });
  return decision;
}
