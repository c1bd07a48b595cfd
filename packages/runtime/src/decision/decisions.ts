import { type ApiError, isConflict, isFieldConflict, isNotFound, type Ref } from '@kubewright/client';
import { jsonEqual, type KubeObject, type Stored } from '@kubewright/kube';
import type { Reconciler } from '../controller/reconciler.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Manager } from '../manager/manager.ts';
import { type StatusOf, updateStatus } from '../objects/update-status.ts';
import { decisionReport } from './decision-report.ts';
import { type RecordOutcome, runSteps, type StepLimits, type StepsHost } from './run-steps.ts';
import type { Io, Steps } from './steps.ts';

export type DecisionOptions<T extends KubeObject, S> = StepLimits & {
  /** The reporting component of Events. Default: the controller's name. */
  readonly component?: string;
  /** Whether a status is final. A final status is never overwritten, not even after a stale read (see `updateStatusOnce`). */
  readonly isTerminal?: (status: S) => boolean;
  /** With a final status, nothing is decided any more. */
  readonly frozenWhenTerminal?: boolean;
  /**
   * Writes a status and returns the object as stored; a 409 is a conflict. Default: a patch of the status subresource,
   * guarded by the resourceVersion.
   */
  readonly writeStatus?: (object: Stored<T>, status: S, io: Io) => Promise<T>;
};

/**
 * A {@link Reconciler} of {@link Steps}: observe, decide, write once, and observe again, until nothing is left to do.
 *
 * - The status is written before the action, and only where it differs. When the server stored another one, because a
 *   webhook changed it, nothing else is written, and the request is requeued with backoff.
 * - After a conflict it waits and observes again; a rejected write is reported by `refused`.
 * - Each decision is logged, and counted in `kubewright_decisions_total{controller,reason}`.
 *
 * @example
 * manager.addController({ name: 'site', reconciler: decisions(manager, sites, steps), sources: [watchKind(sites)] });
 */
export function decisions<T extends KubeObject, O, A, S extends StatusOf<T>>(
  manager: Manager,
  resource: Ref<T>,
  steps: Steps<O, A, S, T>,
  options: DecisionOptions<T, S> = {},
): Reconciler {
  const { client, cache, clock, random } = manager;
  const hostFor = hostsOf(manager, resource, steps, options);
  const played = options.frozenWhenTerminal === true ? frozen(steps, options) : steps;
  return {
    async reconcile(request, context) {
      const host = hostFor({ client, cache, clock, random, ...context });
      return (await runSteps(played, request, host)).result;
    },
  };
}

function hostsOf<T extends KubeObject, O, A, S extends StatusOf<T>>(
  manager: Manager,
  resource: Ref<T>,
  steps: Steps<O, A, S, T>,
  options: DecisionOptions<T, S>,
): (io: Io) => StepsHost<O, S> {
  const report = decisionReport(manager.registry);
  const { component } = options;
  const { writeStatus = (object, status) => updateStatus(manager, resource, object, status) } = options;
  const write = async (object: Stored<T>, status: S, io: Io): Promise<RecordOutcome> => {
    const stored = await writeStatus(object, status, io);
    return jsonEqual(stored['status'], status) ? 'done' : 'undone';
  };
  const subject = (observed: O): Stored<T> => steps.subject(observed);
  let recorder: EventRecorder | undefined;
  return (io) => ({
    ...options,
    io,
    isNews(observed, status) {
      const object = subject(observed);
      return !isOver(object, options) && !jsonEqual(object['status'], status);
    },
    record(observed, status) {
      const object = subject(observed);
      return orConflict(object, write(object, status, io));
    },
    report: (decision, writes) => report(io, decision, writes),
    notify(observed, { events = [] }) {
      if (events.length === 0) return;
      recorder ??= manager.recorderFor(component ?? io.controller);
      for (const note of events) recorder.record(subject(observed), note);
    },
  });
}

/** The steps, with `observe` returning nothing for an object whose status is final. */
function frozen<T extends KubeObject, O, A, S>(
  steps: Steps<O, A, S, T>,
  options: DecisionOptions<T, S>,
): Steps<O, A, S, T> {
  return {
    ...steps,
    async observe(request, io) {
      const observed = await steps.observe(request, io);
      return observed === undefined || isOver(steps.subject(observed), options) ? undefined : observed;
    },
  };
}

function isOver<T extends KubeObject, S>(object: T, { isTerminal }: DecisionOptions<T, S>): boolean {
  const { status } = object;
  return status !== undefined && isTerminal?.(status as S) === true;
}

/** A deleted object counts as a conflict: the next observation finds it gone. */
async function orConflict({ metadata }: KubeObject, write: Promise<RecordOutcome>): Promise<RecordOutcome> {
  try {
    return await write;
  } catch (error) {
    const isGone = isNotFound(error) && (error as ApiError).status.details?.name === metadata.name;
    if ((isConflict(error) && !isFieldConflict(error)) || isGone) return 'conflict';
    throw error;
  }
}
