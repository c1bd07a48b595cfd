import type { Phase, Reason } from '../api.ts';
import type { Facts } from './facts.ts';
import { blocksAddress, holdsName } from './blocks-address.ts';
import { deleted, deleting, hasToDelete, othersFinalize } from './deleting.ts';
import { type ClassAction, titleOf } from './observed-class.ts';
import { backoffAfter, isDue, refusalOf, RETRY_INVALID } from './refusal-of.ts';
import { orphanDeletion, repairOf } from './repair-of.ts';
import { BACKOFF } from './seconds-since.ts';
import type { Verdict } from './verdict.ts';

/** One row of the table: when it holds, which phase the class gets, what is done, and what ends it. */
export type Row = {
  readonly when: string;
  readonly phase: string;
  readonly does: string;
  /** What has to change for another row to hold. */
  readonly until: string;
  readonly holds: (facts: Facts) => boolean;
  /** Absent: nothing is written. */
  readonly verdict?: (facts: Facts) => Verdict;
};

/** The lifecycle of a class. The first row that holds decides. */
export const TABLE: readonly Row[] = [
  {
    when: 'being deleted, without our finalizer',
    phase: 'deleting/Deleting',
    does: '-',
    until: 'the other finalizers are removed',
    holds: ({ isDeleting, hasFinalizer }) => isDeleting && !hasFinalizer,
    verdict: othersFinalize,
  },
  {
    when: 'being deleted, children or pods are left',
    phase: 'deleting/Deleting',
    does: 'delete the next child: functions first, then the data grid',
    until: 'all of them are gone, or the annotation oaas.io/force-delete is set',
    holds: (facts) => facts.isDeleting && hasToDelete(facts),
    verdict: deleting,
  },
  {
    when: 'being deleted, nothing is left, or forced',
    phase: 'deleting/Deleting',
    does: 'remove the finalizer',
    until: 'the finalizer is removed',
    holds: ({ isDeleting }) => isDeleting,
    verdict: deleted,
  },
  {
    when: 'without our finalizer, or without a phase',
    phase: 'pending/Pending, or as it is',
    does: 'add the finalizer, if it is missing',
    until: 'the finalizer and a phase are there',
    holds: ({ hasFinalizer, phase }) => !hasFinalizer || phase === undefined,
    verdict: ({ runtime, hasFinalizer, phase = 'pending', lifecycle, status }) => {
      const reason = (lifecycle.reason ?? 'Pending') as Reason;
      if (hasFinalizer) return say(phase, reason, 'the finalizer is there', { requeue: 1 });
      const message = phase === 'pending' ? 'adding the finalizer' : (status.message ?? '');
      return say(phase, reason, message, { action: { type: 'ensureFinalizer', runtime } });
    },
  },
  {
    when: 'paused',
    phase: 'as it is',
    does: '-',
    until: 'spec.paused or the annotation oaas.io/paused is removed',
    holds: ({ isPaused }) => isPaused,
  },
  {
    when: 'cannot be rendered',
    phase: 'degraded/ApplyInvalid',
    does: '-',
    until: 'the class changes',
    holds: ({ renderError }) => renderError !== undefined,
    verdict: ({ renderError }) =>
      say('degraded', 'ApplyInvalid', `Validation failed: ${renderError}.`, { requeue: RETRY_INVALID }),
  },
  {
    when: "an object of a child's name is not ours",
    phase: 'degraded/NotOwned',
    does: '-',
    until: 'the object is deleted, or the class gets another name for it',
    holds: ({ anomalies }) => anomalies.some(({ reason }) => reason === 'NotOwned'),
    verdict: (facts) => degradedBy(facts, { requeue: RETRY_INVALID }),
  },
  {
    when: 'not applied, and the server rejected this very apply',
    phase: 'degraded/the same reason',
    does: 'apply again when the back-off is over',
    until: 'an apply succeeds, or the class changes',
    holds: (facts) => facts.toApply !== undefined && refusalOf(facts) !== undefined,
    verdict: afterRefusal,
  },
  {
    when: 'not applied, or pending',
    phase: 'applying/Applying',
    does: 'apply the next object, or delete what has its name',
    until: 'all objects are applied, or the server rejects one',
    holds: ({ toApply, phase, total }) => toApply !== undefined || (phase === 'pending' && total > 0),
    verdict: applying,
  },
  {
    when: 'objects of a kind cannot be listed',
    phase: 'as it is',
    does: '-',
    until: 'they can be listed again',
    holds: isBlind,
    verdict: ({ phase = 'pending', unobserved = [] }) => {
      const message = `${unobserved.join(', ')} cannot be listed: nothing is concluded until they can`;
      return say(phase, 'ObservationFailed', message, { requeue: 5 });
    },
  },
  {
    when: 'something is wrong for long enough',
    phase: 'degraded/the gravest reason',
    does: 'apply a missing child; delete orphans that are in the way; enforce again',
    until: 'what is wrong is over, or the class changes',
    holds: ({ anomalies }) => anomalies.length > 0,
    verdict: (facts) =>
      degradedBy(facts, {
        action: repairOf(facts),
        requeue: BACKOFF.degraded(facts.phase === 'degraded' ? facts.inPhase : 0),
      }),
  },
  {
    when: 'all ready, was degraded',
    phase: 'progressing/Recovering',
    does: '-',
    until: 'the recovery window begins',
    holds: (facts) => isReady(facts) && facts.phase === 'degraded',
    verdict: ({ settings }) => recovering(settings.recoveryStable),
  },
  {
    when: 'all ready, recovering for less than the recovery window',
    phase: 'progressing/Recovering',
    does: '-',
    until: 'the recovery window is over, or something is wrong',
    holds: (facts) => isReady(facts) && isRecovering(facts) && facts.inPhase < facts.settings.recoveryStable,
    verdict: ({ settings, inPhase }) => recovering(settings.recoveryStable - inPhase),
  },
  {
    when: 'all ready',
    phase: 'available/Ready',
    does: 'delete the next orphan; else enforce what is recommended',
    until: 'an object is not ready for longer than the grace, something is wrong, or the class changes',
    holds: isReady,
    verdict: (facts) => available(facts, { action: orphanDeletion(facts.orphans[0]) }),
  },
  {
    when: 'not ready, was available, within the grace',
    phase: 'available/Ready',
    does: '-',
    until: 'all objects are ready, or the grace is over',
    holds: ({ phase, unreadyFor, settings }) => phase === 'available' && unreadyFor < settings.unreadyGrace,
    verdict: (facts) => available(facts, { requeue: facts.settings.unreadyGrace - facts.unreadyFor }),
  },
  {
    when: 'not ready, was available, beyond the grace',
    phase: 'progressing/ReadinessLost',
    does: '-',
    until: 'all objects are ready, something is wrong, or there is no progress for the timeout',
    holds: ({ phase }) => phase === 'available',
    verdict: (facts) => say('progressing', 'ReadinessLost', unreadyText(facts), { requeue: 5 }),
  },
  {
    when: 'not ready, degraded/Timeout, no progress',
    phase: 'degraded/Timeout',
    does: '-',
    until: 'more objects are ready, or the class changes',
    holds: ({ phase, lifecycle, ready }) =>
      phase === 'degraded' && lifecycle.reason === 'Timeout' && ready <= (lifecycle.ready ?? 0),
    verdict: (facts) => timedOut(facts, facts.inPhase),
  },
  {
    when: 'not ready, was degraded, and nothing is wrong any more',
    phase: 'progressing/Recovering',
    does: '-',
    until: 'all objects are ready, or something is wrong',
    holds: ({ phase }) => phase === 'degraded',
    verdict: () => recovering(BACKOFF.progressing(0)),
  },
  {
    when: 'not ready, no progress for the timeout',
    phase: 'degraded/Timeout',
    does: '-',
    until: 'more objects are ready, or the class changes',
    holds: (facts) => isStuck(facts),
    verdict: (facts) => timedOut(facts, 0),
  },
  {
    when: 'not ready',
    phase: 'progressing',
    does: 'delete an orphan that has the address of a ready Revision',
    until: 'all objects are ready, something is wrong, or there is no progress for the timeout',
    holds: () => true,
    verdict: progressing,
  },
];

function say(
  phase: Phase,
  reason: Reason,
  message: string,
  more: Pick<Verdict, 'action' | 'requeue'> = {},
): Verdict {
  return { phase, reason, message, ...more };
}

/** What is known is old: nothing may be missing, or left, that seems to be. */
function isBlind({ unobserved = [] }: Facts): boolean {
  return unobserved.length > 0;
}

function isReady({ ready, total }: Facts): boolean {
  return ready === total;
}

function isRecovering({ phase, lifecycle }: Facts): boolean {
  return phase === 'progressing' && lifecycle.reason === 'Recovering';
}

/** Applied since the status was written: the clock begins anew. */
function isStuck({ isRecorded, sinceProgress, settings }: Facts): boolean {
  return isRecorded && sinceProgress >= settings.progressTimeout;
}

function recovering(requeue: number): Verdict {
  return say('progressing', 'Recovering', 'nothing is wrong any more', { requeue });
}

function available(facts: Facts, more: Pick<Verdict, 'action' | 'requeue'>): Verdict {
  const message = facts.total === 0 ? 'no workloads' : `all ${facts.total} objects are ready`;
  return say('available', 'Ready', message, more);
}

function timedOut({ settings }: Facts, elapsed: number): Verdict {
  const message = `Readiness not achieved within ${settings.progressTimeout}.`;
  return say('degraded', 'Timeout', message, { requeue: BACKOFF.degraded(elapsed) });
}

function progressing(facts: Facts): Verdict {
  const { phase, lifecycle, inPhase, sinceProgress, settings, isRecorded, held } = facts;
  const isSame = phase === 'progressing' && lifecycle.reason !== undefined;
  const left = settings.progressTimeout - (isRecorded ? sinceProgress : 0);
  const requeue = Math.min(BACKOFF.progressing(isSame ? inPhase : 0), left);
  const known = isSame ? (lifecycle.reason as Reason) : 'Progressing';
  const reason = held === undefined ? known : 'RollingOut';
  const action = orphanDeletion(blocksAddress(facts));
  return say('progressing', reason, unreadyText(facts), { action, requeue: Math.max(1, requeue) });
}

function unreadyText({ children }: Facts): string {
  const unready = children.filter(({ readiness }) => !readiness.ready);
  return unready
    .slice(0, 5)
    .map(({ desired, readiness: { reason, message = '' } }) =>
      `${titleOf(desired)} ${reason} ${message}`.trimEnd(),
    )
    .join(', ');
}

function degradedBy({ anomalies }: Facts, more: Pick<Verdict, 'action' | 'requeue'>): Verdict {
  const [top] = anomalies;
  const message = anomalies
    .slice(0, 5)
    .map((anomaly) => anomaly.message)
    .join(' ');
  return say('degraded', top?.reason ?? 'Timeout', message, more);
}

function applying(facts: Facts): Verdict {
  const holder = holdsName(facts);
  if (holder === undefined)
    return say('applying', 'Applying', 'applying the workload', { action: applyNext(facts), requeue: 5 });
  const isGoing = holder.metadata.deletionTimestamp !== undefined;
  const action = isGoing ? undefined : orphanDeletion(holder);
  return say('applying', 'Applying', `waiting for ${titleOf(holder)} to be deleted`, { action, requeue: 5 });
}

function applyNext({ toApply, runtime }: Facts): ClassAction | undefined {
  return toApply === undefined ? undefined : { type: 'apply', runtime, object: toApply };
}

function afterRefusal(facts: Facts): Verdict {
  const refused = refusalOf(facts);
  if (refused === undefined) return progressing(facts);
  const { reason, message } = refused;
  const requeue = backoffAfter(reason, facts.inPhase);
  const more = isDue(facts) ? { action: applyNext(facts) } : { requeue };
  return say('degraded', reason as Reason, message, more);
}
