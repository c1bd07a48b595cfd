import { isDeepStrictEqual } from 'node:util';
import { ApiError, isFieldConflict, sleep } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { Request, Result } from '../controller/reconciler.ts';
import { HELD_MS } from '../loop/loop-watch.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { Decision } from './decision.ts';
import type { ActOutcome, Done, Io, Refusal, Steps } from './steps.ts';

/** Bounds of one run. */
export type StepLimits = {
  /** Maximum number of observations. Default 20. */
  readonly maxSteps?: number;
  /** Conflicts after which the request is requeued with backoff. Default 5. */
  readonly maxConflicts?: number;
};

/** How {@link runSteps} stores a status and reports. */
export type StepsHost<O, S> = StepLimits & {
  readonly io: Io;
  /** False: this status is stored already, or the stored one may not be overwritten. */
  isNews(observed: O, status: S): boolean;
  /**
   * Writes a status, guarded: `conflict` when the subject has changed since it was observed, `undone` when the server
   * stored another one (a webhook changed it). `isLast`: no action follows, so it may be written later, together with
   * others.
   */
  record(observed: O, status: S, isLast: boolean): Promise<RecordOutcome>;
  /** Called once per decision, before anything is written. `writes`: its status or its action will be. */
  report(decision: Decision<unknown, S>, writes: boolean): void;
  /** Called once per decision, when its status is stored, or else its action carried out. */
  notify(observed: O, decision: Decision<unknown, S>): void;
};

export type RecordOutcome = 'done' | 'conflict' | 'undone';

/** How a run ended: the last decision's reason (absent when there was nothing to decide on), and when to run again. */
export type StepsResult = { readonly reason?: string; readonly result: Result };

const MAX_STEPS = 20;
const MAX_CONFLICTS = 5;
/** The first delay after a conflict; it doubles. */
const CONFLICT_MS = 20;
/** The minimum delay before a status that the server did not store is written again. */
const UNDONE_MS = 30_000;

/**
 * Observes, decides, writes once, and observes again, until nothing is left to do. Always ends: after `maxSteps`
 * observations, `maxConflicts` conflicts, or a repeated write without effect, the request is requeued with backoff.
 */
export async function runSteps<O, A, S, T extends KubeObject>(
  steps: Steps<O, A, S, T>,
  request: Request,
  host: StepsHost<O, S>,
): Promise<StepsResult> {
  const { io } = host;
  const done: Done<A>[] = [];
  const run: Run<O, A, S, T> = { steps, request, host, io, done };
  let conflicts = 0;
  for (let step = 0; step < (host.maxSteps ?? MAX_STEPS); step++) {
    const ended = await takeStep(run);
    if (ended === 'conflict') {
      if (conflicts++ >= (host.maxConflicts ?? MAX_CONFLICTS))
        return { reason: 'Conflict', result: again('writes meet conflicts') };
      await sleep(io.clock, CONFLICT_MS * 2 ** (conflicts - 1) * (1 + io.random()), io.signal);
    } else if (ended !== 'again') return ended;
    if (io.signal.aborted) return { result: { requeue: true } };
  }
  io.log.warn('too many steps in one reconcile, will go on later', { reason: done.at(-1)?.reason });
  return { reason: 'TooManySteps', result: { requeue: true } };
}

/** Requeues with a message, which `manager.health()` shows if this goes on. */
function again(problem: string): Result {
  return { requeue: true, problem };
}

type Run<O, A, S, T extends KubeObject> = {
  readonly steps: Steps<O, A, S, T>;
  readonly request: Request;
  readonly host: StepsHost<O, S>;
  readonly io: Io;
  readonly done: Done<A>[];
  /** The Events of a decision whose status is stored and whose action is not carried out yet. */
  notified?: Decision<A, S>['events'] | undefined;
  /** What the last write was based on. */
  before?: { readonly action: A; readonly observed: O };
};

/** One observation and one write. */
async function takeStep<O, A, S, T extends KubeObject>(
  run: Run<O, A, S, T>,
): Promise<'again' | 'conflict' | StepsResult> {
  const { io, done } = run;
  const observed = await lookedAt(run);
  if (observed === 'conflict') return observed;
  if (observed === undefined) return { result: {} };
  const decision = decide(run, observed.it);
  const { reason, action } = decision;
  const outcome = await carryOut(run, observed.it, decision);
  if (outcome === 'conflict') return 'conflict';
  if (outcome === 'undone') return undone(io, reason, 'status');
  if (outcome !== 'done') return reportRejection(run, observed.it, outcome);
  if (action === undefined) return { reason, result: resultOf(decision) };
  done.push({ reason, action });
  run.notified = undefined;
  const world = { action, observed: observed.it };
  if (isDeepStrictEqual(run.before, world)) return undone(io, reason, 'action');
  run.before = world;
  return 'again';
}

/** Nothing else of the process gets on meanwhile. */
function decide<O, A, S, T extends KubeObject>(
  { steps, io, done }: Run<O, A, S, T>,
  observed: O,
): Decision<A, S> {
  const began = io.clock.monotonic();
  const decision = steps.decide(observed, nowOf(io), done);
  const ms = Math.round(io.clock.monotonic() - began);
  if (ms >= HELD_MS) io.log.info('the decision held up the event loop', { reason: decision.reason, ms });
  return decision;
}

/**
 * A write without effect may cause no watch event, so the request is requeued. The queue's backoff begins at milliseconds,
 * too soon to repeat a write that a webhook always undoes.
 */
function undone({ log }: Io, reason: string, what: 'status' | 'action'): StepsResult {
  const problem = `the ${what} of ${reason} has no effect: a webhook may undo it`;
  log.warn(`${problem}, will try again later`, { reason });
  const wait = what === 'status' ? { requeueAfter: UNDONE_MS } : {};
  return { reason, result: { ...again(problem), ...wait } };
}

/** Boxed, because what is observed may itself be the string `conflict`. */
async function lookedAt<O, A, S, T extends KubeObject>({
  steps,
  request,
  io,
}: Run<O, A, S, T>): Promise<{ readonly it: O } | 'conflict' | undefined> {
  try {
    const it = await steps.observe(request, io);
    return it === undefined ? undefined : { it };
  } catch (error) {
    if (error instanceof ApiError && error.code === 409) return 'conflict';
    throw error;
  }
}

/** The status first, and the Events that report it; then the action. */
async function carryOut<O, A, S, T extends KubeObject>(
  run: Run<O, A, S, T>,
  observed: O,
  decision: Decision<A, S>,
): Promise<ActOutcome | 'undone'> {
  const { host } = run;
  const { status, action } = decision;
  const isNews = status !== undefined && host.isNews(observed, status);
  host.report(decision, isNews || action !== undefined);
  const recorded = isNews ? await host.record(observed, status, action === undefined) : 'done';
  if (recorded !== 'done') return recorded;
  if (isNews) notify(run, observed, decision);
  const outcome = action === undefined ? 'done' : await outcomeOf(acted(run, decision, action));
  if (outcome === 'done' && !isNews) notify(run, observed, decision);
  return outcome;
}

/** A decision that is repeated after a conflict is not reported again. */
function notify<O, A, S, T extends KubeObject>(
  run: Run<O, A, S, T>,
  observed: O,
  decision: Decision<A, S>,
): void {
  const { events } = decision;
  if (events === undefined || isDeepStrictEqual(run.notified, events)) return;
  run.notified = events;
  run.host.notify(observed, decision);
}

function acted<O, A, S, T extends KubeObject>(
  { steps, io }: Run<O, A, S, T>,
  { reason }: Decision<A, S>,
  action: A,
): Promise<ActOutcome> {
  if (steps.act === undefined)
    throw new RuntimeError('InvalidState', `${reason} has an action, and the steps have no act`);
  return steps.act(action, io);
}

/** The outcome of a call that the server responded to; rethrows errors that a retry may fix. */
async function outcomeOf(call: Promise<ActOutcome>): Promise<ActOutcome> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 0 || error.retryable) throw error;
    const { code, reason, message } = error;
    return code === 409 && !isFieldConflict(error) ? 'conflict' : { code, reason, message };
  }
}

/** Reports a rejected write; requeues as the report says, or else with backoff. */
async function reportRejection<O, A, S, T extends KubeObject>(
  run: Run<O, A, S, T>,
  observed: O,
  why: Refusal,
): Promise<'conflict' | StepsResult> {
  const decision = run.steps.refused?.(observed, why, nowOf(run.io));
  if (decision === undefined) throw new RuntimeError('Refused', why.message);
  const { reason, requeueAfter } = decision;
  const outcome = await carryOut(run, observed, decision);
  if (outcome === 'conflict') return 'conflict';
  if (outcome === 'undone') return undone(run.io, reason, 'status');
  return { reason, result: requeueAfter === undefined ? again(why.message) : resultOf(decision) };
}

function resultOf({ requeueAfter }: Decision<unknown, unknown>): Result {
  return requeueAfter === undefined ? {} : { requeueAfter };
}

function nowOf({ clock }: Io): Date {
  return new Date(clock.now());
}
