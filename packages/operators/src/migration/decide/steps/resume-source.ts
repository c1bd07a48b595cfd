import { defined } from '@kubewright/kube';
import { controlQueue, holdQueue, statusQueue } from '@kubewright/migratable';
import type { MigrationStatus } from '../../api.ts';
import { mirrorName, snapshotName } from '../../mirror-name.ts';
import { isOfProcess } from '../../process-queues.ts';
import { processQueues } from '../checkpoint/checkpoint.ts';
import { releaseShadow, releaseSource } from '../checkpoint/hold.ts';
import { hasName } from '../checkpoint/keep-name.ts';
import { commandPod, isReport } from '../command-pod.ts';
import { isOtherInstance } from '../instance-of.ts';
import { isShadowStaying } from '../is-shadow-staying.ts';
import type { LivePod } from '../observed-migration.ts';
import { isEnding, isMarked, replacementsIn, shadowOf, sourceOf } from '../source-of.ts';
import { isOfNobody, isSequential } from '../../strategy.ts';
import { removeTemplate } from './keep-template.ts';
import { STATE_NOT_RESTORED } from '../unrestorable.ts';
import { type Context, handoverWith, isFirst, next, NEXT, once, reportOf, type Turn, wait } from '../turn.ts';

/** No command was sent before the first handover, so there is nothing to undo. */
const isUntouched = ({ status }: Context): boolean => status.handover === undefined;

/** Resumes the source first, whatever command it had, to keep its pause short. */
export function resumeSource(context: Context): Turn {
  const { observed, status } = context;
  const source = sourceOf(observed, status);
  if (isUntouched(context)) return NEXT;
  const isGone = source === undefined || isEnding(source);
  if (isOfProcess(status)) {
    const released = releaseSource(context);
    return isGone && released.type === 'next' ? withoutSource(context) : released;
  }
  return isGone ? withoutSource(context) : resumePod(context, source);
}

function resumePod(context: Context, { metadata: { uid } }: LivePod): Turn {
  const lost = lossOf(context);
  const command = { type: 'resume', ...defined({ lost }) } as const;
  const given = commandPod(context, { uid, number: 'undo', command, exceeds: true });
  if (!isReport(given)) return given.type === 'fail' ? NEXT : given;
  if (given.mode !== 'running') return wait('waiting for the source to go on');
  return lost === undefined ? NEXT : goesOnFromOld(context);
}

/** As much of a text as a command carries. */
const LONGEST = 255;

/** Why the source has an old state: the target has taken over, maybe taken messages, and is lost. The source gets the reason. */
function lossOf({ status: { outcome }, handover }: Context): string | undefined {
  const isLost = isFirst(handover) && handover.committed && outcome?.reason !== 'TargetLost';
  return isLost ? outcome?.message.slice(0, LONGEST) : undefined;
}

function goesOnFromOld({ status, handover }: Context): Turn {
  const { from, to } = handover;
  const message = `Pod ${from.pod} goes on from the state that it had when it stopped: what pod ${to.pod} has applied since is missing from it`;
  const { outcome } = status;
  return {
    type: 'next',
    ...(outcome && { status: { outcome: { ...outcome, message: `${outcome.message}; ${message}` } } }),
    events: [{ type: 'Warning', reason: 'OldState', message }],
  };
}

/** Nobody goes on with the state, whatever the migration failed for. */
function withoutSource({ status }: Context): Turn {
  return status.outcome?.reason === 'SourceLost' ? NEXT : withLoss(status, 'the source pod is gone, too');
}

/** What failed is one thing; that the state is lost as well is another. */
function withLoss({ outcome, handedOver }: MigrationStatus, loss: string): Turn {
  if (outcome === undefined || handedOver) return NEXT;
  const message = `${outcome.message}; ${loss}, with the state that it had`;
  return next({ outcome: { ...outcome, message } });
}

/** The source goes on, but its process is another one: its node was rebooted, maybe with that of the target. */
function unlessRestarted(context: Context): Turn {
  const { status, handover } = context;
  const isSame = !isOtherInstance(context, handover.from);
  return isSame || !isFirst(handover) || status.outcome?.reason === 'SourceRestarted'
    ? NEXT
    : withLoss(status, 'the process of the source pod was started again, too');
}

/** Resumes the shadow: the target of its handover failed. */
export function resumeShadow(context: Context): Turn {
  if (isOfProcess(context.status)) return releaseShadow(context);
  const { uid, instance } = context.handover.from;
  const command = { type: 'resume', ...defined({ instance }) } as const;
  const given = commandPod(context, { uid, number: 'undo', command });
  if (!isReport(given)) return given;
  return given.mode === 'running' ? NEXT : wait('waiting for the shadow to go on');
}

/**
 * Deletes a pod that waits for a state that will not come; its controller creates another one. Where nobody would, it goes on
 * without the state.
 */
export function removeReplacement(context: Context): Turn {
  if (isOfNobody(context.status)) return resumeLast(context);
  const pod = replacementsIn(context.observed).find((one) => !isEnding(one));
  if (pod !== undefined) return { type: 'act', action: { type: 'deletePod', pod } };
  return mayBeMade(context) ? wait('the outcome is recorded first') : NEXT;
}

/**
 * A process that was started again stands still where the one before did: its command to go on was for that one. This one comes after it,
 * whatever of it the process has still to read. It is not waited for: its node may be lost for good.
 */
function resumeLast(context: Context): Turn {
  const uid = isOfProcess(context.status) ? undefined : lastPod(context);
  const report = reportOf(context, uid);
  if (report === undefined || report.mode === 'running' || report.waiting === true) return NEXT;
  const given = commandPod(context, { uid, number: 'confirm', command: { type: 'resume' }, exceeds: true });
  return !isReport(given) && given.type === 'act' ? given : NEXT;
}

/** Until the outcome is on record, the webhook has each pod that is made wait for the state, also one that is not seen yet. */
function mayBeMade({ observed: { migration }, status }: Context): boolean {
  const isAwaited = status.handedOver && !isShadowStaying(status);
  return isAwaited && migration.status?.outcome === undefined;
}

/**
 * Deletes the shadow by its label: an operator that crashed since may have created it. Of a pod that nobody controls it
 * stays when the source is gone: nobody would make another one.
 */
export function removeShadow(context: Context): Turn {
  const { observed, handover } = context;
  const kept = removeTemplate(context);
  if (kept !== undefined) return kept;
  const shadow = shadowOf(observed);
  if (shadow === undefined) return NEXT;
  if (isLastPod(context)) return isMarked(shadow, observed.migration, 'shadow') ? settled(shadow) : NEXT;
  if (isEnding(shadow)) return wait(`waiting for pod ${shadow.metadata.name} to end`);
  const to = { ...handover.to, uid: shadow.metadata.uid };
  const status = isFirst(handover) ? { status: handoverWith(context, { to }) } : {};
  return { type: 'act', action: { type: 'deletePod', pod: shadow }, ...status };
}

function settled(pod: LivePod): Turn {
  return { type: 'act', action: { type: 'settle', pod } };
}

/** The source of a pod without a controller is gone, and who was to take over goes on in its place, without the state. */
function isLastPod({ observed, status }: Context): boolean {
  return isOfNobody(status) && status.handedOver && sourceOf(observed, status) === undefined;
}

/** The pod that goes on. */
function lastPod(context: Context): string | undefined {
  const { observed, handover } = context;
  const { uid } = handover.to;
  const isThere = [observed.named, observed.shadow].some((pod) => pod?.metadata.uid === uid);
  return isLastPod(context) && isThere ? uid : undefined;
}

/** Every queue that this handover may have created. */
export function deleteAllQueues(context: Context): Turn {
  const { observed, handover, status } = context;
  const { migration } = observed;
  if (isUntouched(context)) return NEXT;
  if (isOfProcess(status))
    return once(context, { type: 'deleteQueues', migration, queues: processQueues(context) });
  // Of one whose source has ended nothing is left but who was to take over.
  const isOfShadow = isFirst(handover) && !(isSequential(status) && status.handedOver);
  const last = lastPod(context);
  const gone = [isOfShadow ? undefined : handover.from.uid, handover.to.uid];
  const pods = gone.filter((uid) => uid !== undefined).filter((uid) => uid !== last);
  // What no pod could restore is for people.
  const isKept = status.outcome?.reason === STATE_NOT_RESTORED;
  const snapshots = [snapshotName(migration, handover.epoch), handover.snapshot?.queue];
  const queues = [
    ...new Set(isKept ? [] : snapshots.filter((queue) => queue !== undefined)),
    ...pods.flatMap((uid) => [controlQueue(uid), statusQueue(uid)]),
    holdQueue(migration.spec.messageQueueConfig.queueName),
  ];
  const mirror = mirrorName(migration, handover.epoch);
  return once(context, { type: 'deleteQueues', migration, mirror, queues });
}

/** Reading the broker requests a report: a pod that waited for the shadow's queue then starts. */
export function unlock(context: Context): Turn {
  const { named, migration, broker } = context.observed;
  if (!isUntouched(context) && broker.type === 'unavailable') return wait(broker.message);
  if (named !== undefined && hasName(named)) return { type: 'act', action: { type: 'freeName', pod: named } };
  const isLocked = named !== undefined && !isEnding(named) && isMarked(named, migration, 'source');
  return isLocked
    ? { type: 'act', action: { type: 'unlock', migration, pod: named } }
    : unlessRestarted(context);
}
