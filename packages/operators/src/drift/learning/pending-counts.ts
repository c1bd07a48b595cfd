import type { Clock } from '@kubewright/client';
import { formatTime, parseApiVersion } from '@kubewright/kube';
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

/** In memory: after a crash, what was counted within the last minutes is missing. */
export function createPendingCounts(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  onNews: (policy: string) => void,
): PendingCounts {
  const all = new Map<string, Pending>();
  return {
    note(change) {
      const { policy } = change.facts;
      const added = countOf(change, formatTime(new Date(clock.now())));
      if (policy === undefined || added === undefined) return;
      const { kinds, since } = all.get(policy) ?? { kinds: new Map(), since: clock.monotonic() };
      if (all.size >= MOST_POLICIES && !all.has(policy)) return;
      const key = keyOf(added);
      if (kinds.size >= MOST_KINDS && !kinds.has(key)) return;
      const before = kinds.get(key);
      const sum = before === undefined ? added : withCount(before, added);
      all.set(policy, { kinds: new Map([...kinds, [key, sum]]), since });
      onNews(policy);
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

function countOf({ facts: { parent }, decision }: ReportedChange, now: string): KindCount | undefined {
  if (parent === undefined || !COUNTED.has(decision.reason)) return undefined;
  const { group } = parseApiVersion(parent.apiVersion);
  const isAlarm = decision.reason === 'Drift';
  return {
    group,
    kind: parent.kind,
    writes: 1,
    alarms: isAlarm ? 1 : 0,
    since: now,
    ...(isAlarm ? { lastAlarm: now } : {}),
    // Before its status is written, nothing is known of it.
    ...(decision.reason === 'Initializing' && !isKnown(parent) ? {} : { isKnown: isKnown(parent) }),
  };
}

function withCount(before: KindCount, added: KindCount): KindCount {
  const { since } = before;
  const sums = { writes: before.writes + added.writes, alarms: before.alarms + added.alarms };
  return { ...before, ...added, ...sums, since };
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
