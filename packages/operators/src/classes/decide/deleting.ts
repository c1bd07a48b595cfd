import { ANNOTATIONS } from '../api.ts';
import { odgmNames } from '../templates/safe-name.ts';
import type { Facts } from './facts.ts';
import { type Live, titleOf } from './observed-class.ts';
import { deletionOf } from './repair-of.ts';
import { BACKOFF } from './seconds-since.ts';
import type { Verdict } from './verdict.ts';

/** Seconds until a deletion counts as stuck. */
const STUCK_AFTER = 300;
/** Seconds for which the data grid waits for functions that use it. */
const ODGM_WAIT = 60;

/** Whether the finalizer stays: for what is left, or, where it is forced, until all of it is being deleted. */
export function hasToDelete(facts: Facts): boolean {
  return isForced(facts) ? nextToDelete(facts) !== undefined : leftToDelete(facts).length > 0;
}

/** Deletes the next child, or waits for those that are going. */
export function deleting(facts: Facts): Verdict {
  const { inPhase, unobserved = [] } = facts;
  const elapsed = facts.phase === 'deleting' ? inPhase : 0;
  const isStuck = elapsed >= STUCK_AFTER;
  const reason = isStuck ? 'DeletionStuck' : 'Deleting';
  const untilStuck = isStuck ? Number.POSITIVE_INFINITY : STUCK_AFTER - elapsed;
  return {
    phase: 'deleting',
    reason: unobserved.length > 0 ? 'ObservationFailed' : reason,
    message: `waiting for ${leftToDelete(facts).slice(0, 5).join(', ')}`,
    action: deletionOf(nextToDelete(facts)),
    requeue: Math.min(BACKOFF.deleting(elapsed), untilStuck),
  };
}

/** The last write: there is no status after it. */
export function deleted(facts: Facts): Verdict {
  const { runtime } = facts;
  const left = leftToDelete(facts);
  const message =
    left.length === 0 ? 'all children are gone' : `forced: ${left.slice(0, 5).join(', ')} may be left`;
  return { phase: 'deleting', reason: 'Deleting', message, action: { type: 'removeFinalizer', runtime } };
}

/** Nothing of ours is left to do. Whoever removes the last finalizer ends it, and brings the event. */
export function othersFinalize({ runtime }: Facts): Verdict {
  const others = (runtime.metadata.finalizers ?? []).slice(0, 5).join(', ');
  return { phase: 'deleting', reason: 'Deleting', message: `waiting for finalizers of others: ${others}` };
}

function isForced({ runtime }: Facts): boolean {
  return runtime.metadata.annotations?.[ANNOTATIONS.forceDelete] === 'true';
}

/** What keeps the finalizer in place; also a kind whose objects cannot be listed. */
function leftToDelete({ owned, pods, unobserved = [] }: Facts): readonly string[] {
  return [
    ...owned.map((object) => titleOf(object)),
    ...pods.map(({ metadata }) => `Pod/${metadata.name}`),
    ...unobserved.map((kind) => `${kind}s, which cannot be listed`),
  ];
}

/** The data grid stays until no function uses it, or for a minute. */
function nextToDelete(facts: Facts): Live | undefined {
  const { owned, pods, inPhase, phase, runtime } = facts;
  const odgm = odgmNames(runtime.metadata.name).deployment;
  const isOdgm = ({ metadata }: Pick<Live, 'metadata'>): boolean => metadata.labels?.['app'] === odgm;
  const going = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const function_ = going.find((object) => !isOdgm(object));
  if (function_ !== undefined) return function_;
  const isUsed = pods.some((pod) => !isOdgm(pod)) || owned.some((object) => !isOdgm(object));
  const isOver = isForced(facts) || (phase === 'deleting' && inPhase >= ODGM_WAIT);
  return isUsed && !isOver ? undefined : going[0];
}
