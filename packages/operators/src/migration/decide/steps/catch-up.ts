import { defined, formatTime } from '@kubewright/kube';
import { controlQueue, type Report } from '@kubewright/migratable';
import type { Handover, MigrationStatus } from '../../api.ts';
import {
  commandPod,
  fenceOf,
  followStep,
  hasHandled,
  isHandled,
  isReport,
  type PodCommand,
} from '../command-pod.ts';
import { secondsInStep } from '../enter-step.ts';
import { isShadowStaying } from '../is-shadow-staying.ts';
import { lagOf, sameMarks, totalOf } from '../lag-of.ts';
import { progressInCatchUp } from '../progress-of.ts';
import { type Context, fail, handoverWith, isDone, next, NEXT, reportOf, type Turn, wait } from '../turn.ts';

/** The target applies the mirror up to the source's watermarks, until it is close enough or stops catching up. */
export function catchUp(context: Context): Turn {
  const { handover, observed } = context;
  const source = reportOf(context, handover.from.uid);
  const target = reportOf(context, handover.to.uid);
  if (source === undefined || target === undefined) return wait('waiting for both consumers to report');
  const fence = fenceOf(context, followStep(totalOf(source.watermarks)));
  const isAsFar = isHandled(target.handled, fence);
  // Not `isAsFar`: under load the source is further at each look, and no target would ever be as far.
  const isFollowing = isHandled(target.handled, fenceOf(context, followStep(0)));
  if (isFollowing && target.failure !== undefined) return fail('CommandFailed', `follow: ${target.failure}`);
  const lag = lagOf(source.watermarks, target.watermarks);
  if (isFollowing && isTime(context, lag)) return next(progress(context, target, lag));
  if (isAsFar || isDone(context)) return wait('the target catches up', noted(context, target, lag));
  const upTo = source.watermarks;
  const command = { type: 'follow', queue: handover.mirror, upTo, ...fence } as const;
  const queue = controlQueue(target.pod);
  return { type: 'act', action: { type: 'send', migration: observed.migration, queue, command } };
}

/** Whether waiting longer would not shorten the pause. */
function isTime({ observed, handover, status, now }: Context, lag: number): boolean {
  const { settings, migration } = observed;
  const { replayCutoffSeconds = 0, replayMode } = migration.spec;
  if (lag <= settings.cutLag) return true;
  if (replayMode === 'Drain') return false;
  if (replayCutoffSeconds > 0 && secondsInStep(status, now) >= replayCutoffSeconds) return true;
  const { lag: least } = handover;
  return least !== undefined && lag >= least.least && secondsSince(least.since, now) >= settings.stall;
}

/** Records the smallest lag and its time, at most once a second: each record is a write. */
function noted(context: Context, target: Report, lag: number): Partial<MigrationStatus> | undefined {
  const { handover, now } = context;
  const { lag: least } = handover;
  const isBetter = least === undefined || (lag < least.least && secondsSince(least.since, now) >= 1);
  return isBetter ? progress(context, target, lag) : undefined;
}

function progress(context: Context, target: Report, lag: number): Partial<MigrationStatus> {
  const { applied, duplicates, gaps } = target;
  return {
    ...handoverWith(context, { lag: { least: lag, since: formatTime(context.now) } }),
    ...estimate(context, lag),
    messages: { applied, duplicates, gaps, behind: lag },
  };
}

/** By how fast the target has caught up since the lag was recorded last. */
function estimate({ handover, observed, status, now }: Context, lag: number): Partial<MigrationStatus> {
  const { least = 0, since = '' } = handover.lag ?? {};
  const perSecond = (least - lag) / secondsSince(since, now);
  if (!(perSecond > 0)) return {};
  return progressInCatchUp(Math.max(0, lag - observed.settings.cutLag) / perSecond, status, now);
}

/**
 * The source stops after the current message, and reports its watermarks. It keeps its state, and its queue the rest.
 */
export function quiesce(context: Context): Turn {
  const { uid } = context.handover.from;
  const given = commandPod(context, { uid, number: 'quiesce', command: { type: 'pause' } });
  if (!isReport(given)) return given;
  const { mode, watermarks, digest } = given;
  if (mode !== 'paused' || digest === undefined) return wait('waiting for the source to stop');
  const cut = { watermarks, digest, time: formatTime(context.now) };
  return next(handoverWith(context, { cut }));
}

/** The target applies exactly what the source has applied. Equal digests prove that their states are equal. */
export function applyRest(context: Context): Turn {
  const { handover } = context;
  const { cut, mirror, to } = handover;
  if (cut === undefined) return fail('NoCut', 'it is not known where the source has stopped');
  const given =
    restoredAt(context, cut) ??
    commandPod(context, {
      uid: to.uid,
      number: 'final',
      command: { type: 'follow', queue: mirror, upTo: cut.watermarks, final: true },
    });
  if (!isReport(given)) return given;
  if (given.mode !== 'paused') return wait('the target applies the rest');
  const { watermarks, digest = 'none', applied, duplicates, gaps } = given;
  if (digest !== cut.digest || !sameMarks(watermarks, cut.watermarks))
    return fail('DigestMismatch', `at the cut the source is ${cut.digest}, the target ${digest}`);
  return next({
    ...handoverWith(context, { cut: { ...cut, targetDigest: digest }, committed: true }),
    handedOver: true,
    messages: { applied, duplicates, gaps, behind: 0 },
  });
}

/** Where the source has stood still since its snapshot, there is no rest. */
function restoredAt(context: Context, cut: NonNullable<Handover['cut']>): Report | undefined {
  const report = reportOf(context, context.handover.to.uid);
  const isThere = report?.mode === 'paused' && hasHandled(context, report, 'restore');
  return isThere && report.digest === cut.digest ? report : undefined;
}

/** The handover is recorded: the target now consumes the queue, which has all messages not applied yet. */
export function takeOver(context: Context): Turn {
  const { uid } = context.handover.to;
  const given = commandPod(context, { uid, number: 'takeOver', command: resumeWithState(context) });
  if (!isReport(given)) return given;
  return given.mode === 'running' ? NEXT : wait('waiting for the target to go on');
}

/** For the process that has the state: one that is started again since must not take messages that its state will lack. */
export function resumeWithState({ observed, status, handover: { to } }: Context): PodCommand['command'] {
  return {
    type: 'resume',
    // Its own configuration may name another one, after its own pod.
    primary: observed.migration.spec.messageQueueConfig.queueName,
    // Nobody is to take the queue from it any more, so it need not be held for who stays.
    ...(isShadowStaying(status) ? { release: true } : {}),
    ...defined({ instance: to.instance }),
  };
}

function secondsSince(time: string, now: Date): number {
  return (now.getTime() - Date.parse(time)) / 1000;
}
