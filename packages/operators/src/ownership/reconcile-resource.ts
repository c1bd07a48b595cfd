import { type Clock, type Random, sleep } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { act, type Outcome } from './act.ts';
import type { ResourceState } from './api.ts';
import { decideResource } from './decide/decide-resource.ts';
import { failed } from './decide/outcomes.ts';
import type { DecideContext, ResourceAction, ResourceDecision } from './decide/resource-decision.ts';
import type { DesiredManifest } from './observe/manifest.ts';
import { observeResource } from './observe/observe-resource.ts';
import type { MigrationPolicy } from './policy.ts';
import type { Target } from './target.ts';

/** What one pass over one manifest needs from outside. */
export type ReconcileDeps = {
  readonly target: Target;
  /** Carries actions out; default {@link act}. */
  readonly act?: typeof act;
  readonly clock: Clock;
  readonly random: Random;
  readonly policy: MigrationPolicy;
};

/** Where one pass over one manifest ended. */
export type ResourceResult = {
  readonly state: ResourceState;
  readonly events: readonly EventNote[];
  readonly requeueAfter?: number;
  /** The last decision's reason. */
  readonly reason: string;
};

/** Tries after a 409 before the queue's back-off takes over. */
const MAX_CONFLICTS = 5;
const CONFLICT_DELAY_MS = 20;
/**
 * One apply is not always enough: a server that prunes the last item of a list drops the empty struct around it, and
 * only the next apply puts that back (seen on kube-apiserver 1.36). So the result is looked at once more.
 */
const MAX_APPLIES = 2;
/** Rewrite, apply and look, apply and look, and every conflict on the way: no honest course needs more steps. */
const MAX_STEPS = 5 + MAX_CONFLICTS;
const UNSETTLED_MS = 1_000;

/** A pass under way. */
type Pass = {
  state: ResourceState;
  /** The object as the last write returned it; undefined when it has to be read. */
  known: KubeObject | undefined;
  conflicts: number;
  applies: number;
  readonly events: EventNote[];
};

/**
 * Brings one object to its manifest: observe, decide, act, and again, until nothing is left to do or somebody else has
 * to move first. `record` is told the state after each write that another one follows.
 */
export async function reconcileResource(
  manifest: DesiredManifest,
  previous: ResourceState,
  deps: ReconcileDeps,
  record: (state: ResourceState) => Promise<void>,
): Promise<ResourceResult> {
  const pass: Pass = { state: previous, known: undefined, conflicts: 0, applies: 0, events: [] };
  for (let step = 0; step < MAX_STEPS; step++) {
    const last = await takeStep(manifest, pass, deps);
    if (last !== undefined) return resultOf(last, pass);
    // What was moved is on record before the next write: a crash in between must not lose it.
    if (pass.known !== undefined && pass.applies === 0) await record(pass.state);
  }
  return { state: pass.state, events: pass.events, reason: 'Unsettled', requeueAfter: UNSETTLED_MS };
}

/** One decision and its write. The decision is returned when it was the last. */
async function takeStep(
  manifest: DesiredManifest,
  pass: Pass,
  deps: ReconcileDeps,
): Promise<ResourceDecision | undefined> {
  const context = contextOf(manifest, pass.state, deps);
  const decision = decideResource(await observeResource(manifest, deps.target, pass.known), context);
  const [action] = decision.actions;
  const { act: carryOut = act, target } = deps;
  const outcome: Outcome = action === undefined ? unacted(decision) : await carryOut(action, target);
  if (outcome.kind === 'conflict' && pass.conflicts < MAX_CONFLICTS) {
    await backOff(pass, deps);
    return undefined;
  }
  const final = afterwards(decision, outcome, context);
  pass.events.push(...final.events);
  pass.state = final.status ?? pass.state;
  return outcome.kind === 'written' && goesOn(pass, action, outcome.object) ? undefined : final;
}

/** Notes what was written; true when the result has to be looked at. */
function goesOn(pass: Pass, action: ResourceAction | undefined, written: KubeObject): boolean {
  // After a rewrite or an apply the answer is the live object; after a deletion only a look tells.
  pass.known = action?.type === 'delete' ? undefined : written;
  pass.applies += action?.type === 'apply' ? 1 : 0;
  return pass.applies < MAX_APPLIES;
}

/** A dry run that met a conflict is a race like a write that did. */
function unacted({ reason }: ResourceDecision): Outcome {
  return { kind: reason === 'Conflict' ? 'conflict' : 'none' };
}

/** Somebody else wrote in between: wait a little, longer each time, then read anew. */
async function backOff(pass: Pass, { clock, random }: ReconcileDeps): Promise<void> {
  pass.known = undefined;
  pass.conflicts += 1;
  await sleep(clock, pass.conflicts * CONFLICT_DELAY_MS * (1 + random()));
}

function contextOf(manifest: DesiredManifest, previous: ResourceState, deps: ReconcileDeps): DecideContext {
  return {
    previous,
    policy: deps.policy,
    now: new Date(deps.clock.now()),
    hasReadinessChecks: manifest.hasReadinessChecks,
  };
}

/** The decision as it stands after its write ended otherwise than written. */
function afterwards(decision: ResourceDecision, outcome: Outcome, context: DecideContext): ResourceDecision {
  switch (outcome.kind) {
    case 'none':
    case 'written':
      return decision;
    case 'conflict':
      return { ...decision, reason: 'Conflict', status: context.previous, events: [], requeueAfter: 1_000 };
    case 'ignored':
      return failed(
        'RewriteIgnored',
        'the server answered 200 to a rewrite of managedFields and kept the old ones',
        context,
      );
    case 'refused':
      return failed('Refused', outcome.status.message ?? 'refused', context);
  }
}

function resultOf({ reason, requeueAfter }: ResourceDecision, { state, events }: Pass): ResourceResult {
  return { state, events, reason, ...(requeueAfter === undefined ? {} : { requeueAfter }) };
}
