import { isConflict, isNotFound } from '@kubewright/client';
import { type Manager, updateStatus } from '@kubewright/runtime';
import { KAUSALITIES, type Kausality } from '../api.ts';
import { keyOf } from '../profiles/profiles.ts';
import type { ReportedChange } from '../reports/drift-report.ts';
import { createPendingCounts, MOST_MS, type Pending, withCounts, WORTH, writesOf } from './pending-counts.ts';

/** Between two writes of a policy's status by one replica. */
const LEAST_MS = 60_000;
/** A new kind, or an alarm, is written so soon, but not more often than that. */
const NEWS_MS = 5000;
const LEAST_NEWS_MS = 15_000;

/** Adds the controller that writes what policies have counted to their status, on every replica: each has seen others. */
export function addCounts(manager: Manager): (change: ReportedChange) => void {
  const { clock, cache } = manager;
  const last = new Map<string, number>();
  const pending = createPendingCounts(clock, (name) => controller.enqueue({ name }));
  const controller = manager.addController({
    name: 'drift-counts',
    sources: [],
    needLeaderElection: false,
    reconciler: {
      async reconcile({ name }) {
        const counted = pending.of(name);
        if (counted === undefined) return {};
        const policy = cache.get(KAUSALITIES, { name });
        const now = clock.monotonic();
        const due = policy === undefined ? now : dueAt(counted, policy, last.get(name), now);
        // At rest, nothing is written.
        if (due === undefined) return {};
        if (due > now) return { requeueAfter: due - now };
        if (!(await isWritten(manager, policy, counted))) return { requeueAfter: 1000 };
        last.set(name, now);
        pending.drop(name, counted);
        return pending.of(name) === undefined ? {} : { requeueAfter: LEAST_MS };
      },
    },
  });
  return (change) => pending.note(change);
}

/** When the status is written, in milliseconds of a monotonic clock; undefined: few counts wait for more. */
function dueAt(
  counted: Pending,
  { status }: Kausality,
  last: number | undefined,
  now: number,
): number | undefined {
  const { kinds, since } = counted;
  const known = new Set((status?.kinds ?? []).map(keyOf));
  const isNews = [...kinds].some(([key, { alarms }]) => alarms > 0 || !known.has(key));
  const after = (least: number): number => Math.max(since + NEWS_MS, last === undefined ? 0 : last + least);
  if (isNews) return after(LEAST_NEWS_MS);
  if (writesOf(counted) >= WORTH) return after(LEAST_MS);
  return now < since + MOST_MS ? undefined : now;
}

/** False: somebody else has written the policy meanwhile. */
async function isWritten(
  manager: Manager,
  policy: Kausality | undefined,
  counted: Pending,
): Promise<boolean> {
  // A policy that is gone counts nothing.
  if (policy === undefined) return true;
  try {
    await updateStatus(manager, KAUSALITIES, policy, withCounts(policy.status, counted));
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    if (isNotFound(error)) return true;
    throw error;
  }
}
