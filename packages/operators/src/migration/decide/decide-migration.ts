import { defined, formatTime } from '@kubewright/kube';
import type { Decision, EventNote } from '@kubewright/runtime';
import { isTerminal, type MigrationStatus, type Outcome, type StatefulMigration } from '../api.ts';
import {
  BLIP_MS,
  isBlip,
  unavailableMs,
  unavailableSince,
  whileUnavailable,
  withConditions,
} from './with-conditions.ts';
import { isOfProcess } from '../process-queues.ts';
import { isBrokerAction } from './broker-action.ts';
import { checkCompleted } from './check-completed.ts';
import { checkGuards } from './check-guards.ts';
import { enterStep, endSteps, secondsInStep } from './enter-step.ts';
import type { MigrationAction, ObservedMigration } from './observed-migration.ts';
import { isStepName, type StepName } from './step-name.ts';
import { shownAs, stepOf } from './step-of.ts';
import { nextTarget } from './steps/sequential.ts';
import { isSequential } from '../strategy.ts';
import { unheldAt } from './step-without-source.ts';
import { givenUp, restoreFailures } from './unrestorable.ts';
import { type Context, type Done, isFirst, type Turn, type Wait, wait } from './turn.ts';

type MigrationDecision = Decision<MigrationAction, MigrationStatus>;

/** More steps than can follow each other without a look at the world between them. */
const MOST_STEPS = 12;

/** The next write of a migration: the steps of the table, from the one that is recorded. */
export function decideMigration(
  observed: ObservedMigration,
  now: Date,
  done: readonly Done[],
): MigrationDecision {
  const { migration } = observed;
  const status = migration.status ?? { handedOver: false };
  if (isTerminal(status)) return checkCompleted(observed, now);
  const start = begun(migration, status, now);
  let draft: Draft = { observed, now, done, status: start, events: [] };
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const step = stepIn(draft.status);
    const turn = turnOf(draft, step);
    const taken = take(draft, step, turn);
    if ('reason' in taken) return taken;
    draft = taken;
  }
  return decisionOf(draft, 'Preflight', {});
}

/** A decision while it is made. */
type Draft = {
  readonly observed: ObservedMigration;
  readonly now: Date;
  readonly done: readonly Done[];
  readonly status: MigrationStatus;
  readonly events: readonly EventNote[];
};

function begun({ metadata }: StatefulMigration, status: MigrationStatus, now: Date): MigrationStatus {
  const { generation } = metadata;
  const current = { ...status, ...defined({ observedGeneration: generation }) };
  if (current.step !== undefined) return current;
  return enterStep({ ...current, startTime: formatTime(now) }, 'Preflight', { phase: 'Pending' }, now);
}

/** A step that nobody knows was written by somebody else: what was begun is undone. */
function stepIn({ step = 'Preflight' }: MigrationStatus): StepName {
  return isStepName(step) ? step : 'UndoSource';
}

function turnOf(draft: Draft, step: StepName): Turn {
  const { status } = draft;
  const handover = status.handover ?? NO_HANDOVER;
  const context: Context = { ...draft, handover };
  return checkGuards(context, step) ?? stepOf(step).run(context);
}

const NO_HANDOVER = { epoch: 1, from: { pod: '' }, to: { pod: '' }, mirror: '', committed: false };

function take(draft: Draft, step: StepName, turn: Turn): Draft | MigrationDecision {
  switch (turn.type) {
    case 'act':
      return acting(draft, step, turn);
    case 'wait':
      return waiting(draft, step, turn);
    case 'next':
      return advanced(changed(draft, turn), step);
    case 'fail':
      return failed(draft, step, turn);
    case 'promote':
      return promoted(draft, step, turn);
    case 'undo':
      return undone(draft, turn.outcome);
    case 'planned':
      return ended(changed(draft, turn), 'Completed', 'DryRun', turn.message);
    case 'reject':
      return ended(draft, 'Rejected', turn.reason, turn.message);
  }
}

function acting(draft: Draft, step: StepName, turn: Extract<Turn, { type: 'act' }>): MigrationDecision {
  const { broker } = draft.observed;
  const isAway = broker.type === 'unavailable';
  if (isAway && isBrokerAction(turn.action)) return waiting(draft, step, wait('waiting for the broker'));
  const { message: _away, ...status } = draft.status;
  const isBack = !isAway && whileUnavailable(draft.status) !== undefined;
  return decisionOf(changed(isBack ? { ...draft, status } : draft, turn), step, { action: turn.action });
}

function waiting(draft: Draft, step: StepName, turn: Wait): MigrationDecision {
  const after = changed(draft, turn);
  const isNew = !isBlip(draft.observed.broker, draft.status);
  const status = { ...after.status, ...(isNew && { message: messageOf(draft, turn.message) }) };
  return decisionOf({ ...after, status }, step, nextLook(draft, step, turn.afterMs));
}

/** The longest time between two looks at a broker that is away. */
const MOST_POLL_MS = 5000;

/** Before anything is begun. The migration is woken when the broker responds. */
const MOST_PENDING_MS = 30_000;

/** While nobody consumes. For so long: what takes longer does not become much longer by a look that comes later. */
const [URGENT_MS, URGENT_SECONDS] = [15, 10];

/** A broker that is away is looked at less and less often. */
function nextLook({ observed: { broker }, status, now }: Draft, step: StepName, afterMs: number | undefined) {
  if (afterMs === undefined) return {};
  if (broker.type !== 'unavailable') {
    const isUrgent = stepOf(step).isUrgent === true && secondsInStep(status, now) < URGENT_SECONDS;
    return { requeueAfter: isUrgent ? Math.min(afterMs, URGENT_MS) : afterMs };
  }
  const away = unavailableMs(status, now);
  return step === 'Preflight'
    ? { requeueAfter: Math.max(BLIP_MS, Math.min(MOST_PENDING_MS, away)) }
    : { requeueAfter: Math.max(afterMs, Math.min(MOST_POLL_MS, away / 4)) };
}

function changed(
  draft: Draft,
  { status, events = [] }: { status?: Partial<MigrationStatus>; events?: readonly EventNote[] },
): Draft {
  return { ...draft, status: { ...draft.status, ...status }, events: [...draft.events, ...events] };
}

function messageOf({ observed: { broker }, status }: Draft, message: string): string {
  if (broker.type !== 'unavailable') return message;
  return `the broker is unavailable: ${unavailableSince(status, broker)}`;
}

function advanced(draft: Draft, step: StepName): Draft | MigrationDecision {
  const { next: declared } = stepOf(step);
  const next = typeof declared === 'string' ? declared : declared(draft.status);
  if (next === 'Done') return ended(draft, 'Completed', ...completion(draft.status));
  if (next !== 'Undone') return entered(draft, next);
  const { phase, reason, message } = draft.status.outcome ?? UNKNOWN;
  return ended(draft, phase, reason, message);
}

function completion(status: MigrationStatus): readonly [reason: string, message: string] {
  const { sourceLost = false, targetNodeLost = false, messages: { gaps = 0 } = {} } = status;
  const holder = holderOf(status);
  if (targetNodeLost)
    return ['TargetNodeLost', `${holder}, wherever it could start: it did not start on the target node`];
  if (!sourceLost) return ['Completed', holder];
  const missing = gaps > 0 ? `; of the numbers of messages, ${gaps} times some were left out` : '';
  return ['SourceLost', `${holder}, although the source was lost before the handover${missing}`];
}

function holderOf({ statefulSetUID, replicaSetUID, handover }: MigrationStatus): string {
  if (statefulSetUID !== undefined) return 'the StatefulSet owns the pod, which has its state';
  const pod = handover?.to.pod ?? '';
  return replicaSetUID === undefined
    ? `pod ${pod} has the state`
    : `the ReplicaSet owns pod ${pod}, which has the state`;
}

const UNKNOWN: Outcome = { phase: 'Failed', reason: 'UnknownStep', message: 'status.step is no step' };

function entered(draft: Draft, step: StepName): Draft {
  const shown = shownAs(step, draft.status);
  const status = enterStep(draft.status, step, shown, draft.now);
  const { phase } = shown;
  const isNews = phase !== draft.status.phase;
  const events: EventNote[] = isNews ? [{ type: 'Normal', reason: phase, message: `Step ${step}` }] : [];
  return changed({ ...draft, status }, { events });
}

/** The handover goes on without the source. */
function promoted(
  draft: Draft,
  lostAt: StepName,
  { step, reason, message }: Extract<Turn, { type: 'promote' }>,
): Draft {
  const { handover = NO_HANDOVER } = draft.status;
  const status = { sourceLost: true, handover: { ...handover, ...unheldAt(lostAt, handover) } };
  const text = `${message}. Its state was taken before: the target takes over with it, and with what was published since`;
  const event = { type: 'Warning', reason, message: text } as const;
  return entered(changed(draft, { status, events: [event] }), step);
}

/** A first handover is undone; of a later one the shadow keeps the state, and it is tried again. */
function failed(
  draft: Draft,
  step: StepName,
  { reason, message }: Extract<Turn, { type: 'fail' }>,
): Draft | MigrationDecision {
  const { status } = draft;
  if (isSequential(status) && status.handedOver) return retried(draft, step, { reason, message });
  if (status.handover === undefined || isFirst(status.handover))
    return undone(draft, { phase: 'Failed', reason, message });
  if (step === 'ResumeShadow')
    return decisionOf({ ...draft, status: { ...status, message } }, step, { requeueAfter: 1000 });
  const event = {
    type: 'Warning',
    reason,
    message: `${message}. The shadow keeps the state, and hands it over again`,
  } as const;
  return entered(changed(draft, { events: [event] }), 'ResumeShadow');
}

/** The source has ended, and its state is kept: another pod gets it. */
function retried(
  draft: Draft,
  failedAt: StepName,
  { reason, message }: Pick<Extract<Turn, { type: 'fail' }>, 'reason' | 'message'>,
): Draft | MigrationDecision {
  const { observed, now } = draft;
  const failures = restoreFailures(draft.status, { step: failedAt, reason, now });
  const queue = draft.status.handover?.snapshot?.queue ?? '';
  const end = givenUp(observed, failures, { message, now, queue });
  if (end !== undefined) return undone(draft, end);
  const event = {
    type: 'Warning',
    reason,
    message: `${message}. The state is kept, and another pod gets it`,
  } as const;
  const { handover = NO_HANDOVER } = draft.status;
  const status = {
    handover: nextTarget(handover),
    ...defined({ restoreFailures: failures }),
    ...(reason === 'TargetNotStarted' && { targetNodeLost: true }),
  };
  const step = isOfProcess(draft.status) ? 'ReplaceSource' : 'HoldPrimary';
  return entered(changed(draft, { status, events: [event] }), step);
}

function undone(draft: Draft, outcome: Outcome): Draft | MigrationDecision {
  const { reason, message } = outcome;
  if (draft.status.handover === undefined) return ended(draft, outcome.phase, reason, message);
  const status = { ...draft.status, outcome, message };
  const event = { type: 'Warning', reason, message: `Everything is undone: ${message}` } as const;
  return entered(changed({ ...draft, status }, { events: [event] }), 'UndoSource');
}

function ended(
  draft: Draft,
  phase: 'Completed' | 'Rejected' | Outcome['phase'],
  reason: string,
  message: string,
): MigrationDecision {
  const status = { ...endSteps(draft.status, phase, draft.now), message };
  const type = phase === 'Completed' ? 'Normal' : 'Warning';
  const events = [
    { type, reason: phase, message: phase === 'Completed' ? message : `${reason}: ${message}` },
  ] as const;
  return decisionOf(changed({ ...draft, status }, { events }), phase, {}, reason);
}

function decisionOf(
  draft: Draft,
  reason: string,
  more: Pick<MigrationDecision, 'action' | 'requeueAfter'>,
  why: string = reason,
): MigrationDecision {
  const { observed, now } = draft;
  const { status, events } = withConditions(observed, draft.status, why, now);
  return { reason, status, events: [...draft.events, ...events], ...more };
}
