import type { Clock } from '@kubewright/client';
import { defined, formatTime, type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { KausalityStatus } from '../api.ts';
import { keyOf } from '../profiles/profiles.ts';
import type { ReportedChange } from '../reports/drift-report.ts';
import { isKnown, type KindCount } from './coverage-of.ts';

/** What was counted for a policy that its status does not have yet. */
export type PendingCounts = {
  note(change: ReportedChange): void;
  /** Undefined: nothing. */
  of(policy: string): Pending | undefined;
  /** Removes what was written; what was added since stays. */
  drop(policy: string, written: Pending): void;
};

export type Pending = {
  readonly kinds: ReadonlyMap<string, KindCount>;
  /** When the first was counted, in milliseconds of {@link Clock.monotonic}. */
  readonly since: number;
};

/** So many writes are worth one of the status. */
export const WORTH = 20;
/** After so long, fewer are written with the next one. */
export const MOST_MS = 600_000;

const MOST_POLICIES = 100;
/** Kinds of parents that a policy counts. */
const MOST_KINDS = 50;

/** What a controller writes below a parent. That a person, or the garbage collector, changes something is none of it. */
const COUNTED: ReadonlySet<string> = new Set([
  'Initializing',
  'Reconciling',
  'HistoryCleanup',
  'Due',
  'Repeated',
  'FromTemplate',
  'Announced',
  'Finished',
  'Temporary',
  'ByProfile',
  'Approved',
  'Rejected',
  'Drift',
]);

/**
 * In memory: after a crash, what was counted within the last minutes is missing. `onNews` is called where the status may
 * have to be written: at the first write below a kind, at an alarm, and when there is enough, or it has waited for long.
 */
export function createPendingCounts(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  onNews: (policy: string) => void,
): PendingCounts {
  const all = new Map<string, Pending>();
  const isDue = (pending: Pending): boolean =>
    writesOf(pending) === WORTH || clock.monotonic() - pending.since >= MOST_MS;
  return {
    note({ facts: { policy, parent }, decision: { reason } }) {
      if (policy === undefined || parent === undefined || !COUNTED.has(reason)) return;
      if (all.size >= MOST_POLICIES && !all.has(policy)) return;
      const before = all.get(policy) ?? { kinds: new Map(), since: clock.monotonic() };
      const added = countOf(parent, reason, formatTime(new Date(clock.now())));
      const pending = withAdded(before, added);
      all.set(policy, pending);
      if (pending.kinds.size > before.kinds.size || added.alarms > 0 || isDue(pending)) onNews(policy);
    },
    of: (policy) => all.get(policy),
    drop(policy, written) {
      const now = all.get(policy);
      const left = [...(now?.kinds ?? [])].flatMap(([key, count]) => {
        const { writes = 0, alarms = 0 } = written.kinds.get(key) ?? {};
        const rest = { ...count, writes: count.writes - writes, alarms: count.alarms - alarms };
        return rest.writes > 0 ? [[key, rest] as const] : [];
      });
      if (left.length === 0) all.delete(policy);
      else all.set(policy, { kinds: new Map(left), since: clock.monotonic() });
    },
  };
}

function withAdded({ kinds, since }: Pending, added: KindCount): Pending {
  const key = keyOf(added);
  const before = kinds.get(key);
  if (before === undefined && kinds.size >= MOST_KINDS) return { kinds, since };
  return {
    kinds: new Map([...kinds, [key, before === undefined ? added : withCount(before, added)]]),
    since,
  };
}

/** How many writes were counted, below all kinds. */
export function writesOf({ kinds }: Pending): number {
  let sum = 0;
  for (const { writes } of kinds.values()) sum += writes;
  return sum;
}

function countOf(parent: KubeObject, reason: ReportedChange['decision']['reason'], now: string): KindCount {
  const { group } = parseApiVersion(parent.apiVersion);
  const isAlarm = reason === 'Drift';
  const knows = isKnown(parent);
  return {
    group,
    kind: parent.kind,
    writes: 1,
    alarms: isAlarm ? 1 : 0,
    since: now,
    ...(isAlarm ? { lastAlarm: now } : {}),
    // Before its status is written, nothing is known of it.
    ...(reason === 'Initializing' && !knows ? {} : { isKnown: knows }),
  };
}

function withCount(before: KindCount, added: KindCount): KindCount {
  const { since } = before;
  const sums = { writes: before.writes + added.writes, alarms: before.alarms + added.alarms };
  // Another replica may have seen a later one.
  const lastAlarm = [before.lastAlarm, added.lastAlarm]
    .flatMap((time) => time ?? [])
    .toSorted()
    .at(-1);
  return { ...before, ...added, ...sums, since, ...defined({ lastAlarm }) };
}

/** The status of a policy with what was counted besides. Pure. */
export function withCounts(status: KausalityStatus | undefined, { kinds }: Pending): KausalityStatus {
  const sums = new Map((status?.kinds ?? []).map((one) => [keyOf(one), one]));
  for (const [key, added] of kinds) {
    const before = sums.get(key);
    if (before === undefined && sums.size >= MOST_KINDS) continue;
    sums.set(key, before === undefined ? added : withCount(before, added));
  }
  const all = [...sums.values()];
  const total = (of: 'writes' | 'alarms'): number => all.reduce((sum, one) => sum + one[of], 0);
  const since = all.map((one) => one.since).toSorted()[0];
  return {
    ...status,
    kinds: all,
    alarms: `${total('alarms')} of ${total('writes')} writes`,
    ...(since === undefined ? {} : { since }),
  };
}
