import type { Clock } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import type { Request } from '@kubewright/runtime';
import type { ObjectPlace } from '../api.ts';
import { placeOf } from '../annotations/place-of.ts';
import { requestFor } from '../records/notes.ts';
import { isKnownKind, withContent, type AcceptedContent } from '../decide/accepted-content.ts';
import { ACCEPTED } from '../decide/accepted-by.ts';
import type { ReportedChange } from '../reports/drift-report.ts';
import type { LoggedDecision } from './decision-logs.ts';
import { loggedDecision } from './logged-decision.ts';
import { mergeDecisions, textOf, withoutDecisions } from './merge-decisions.ts';

/** Decisions about one parent that its log does not have yet. */
export type Pending = {
  readonly place: ObjectPlace;
  /** Undefined: the object was being created. */
  readonly uid?: string;
  readonly decisions: readonly LoggedDecision[];
  readonly contents: readonly AcceptedContent[];
  /** All of it is what is expected of a controller. */
  readonly isRoutine: boolean;
  /** When the first was made, in milliseconds of {@link Clock.monotonic}. */
  readonly since: number;
  /** What was written of one batch is not in the next. */
  readonly batch: number;
};

/**
 * In memory: after a crash, the last second of the log is missing, and five seconds of what is expected of a controller,
 * but not what a spec has given first.
 */
export type PendingDecisions = {
  /** `onNews` is called where it may have to be written sooner than what was there. */
  decided(change: ReportedChange): void;
  of(key: string): Pending | undefined;
  /** Removes what was written, or cannot be; what was added since stays. A second time, nothing. */
  drop(key: string, written: Pending): void;
};

const MOST_PARENTS = 1000;

export function createPendingDecisions(options: {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly limit: number;
  readonly onNews: (request: Request) => void;
}): PendingDecisions {
  const { clock, limit, onNews } = options;
  const pending = new Map<string, Kept>();
  let batches = 0;
  const newBatch = () => ({ since: clock.monotonic(), batch: ++batches });
  const begun = (place: ObjectPlace, uid: string | undefined): Kept => {
    if (pending.size >= MOST_PARENTS && !pending.has(requestFor(place).name))
      pending.delete(pending.keys().next().value ?? '');
    return { contents: [], isRoutine: true, ...defined({ uid }), place, ...newBatch(), entries: new Map() };
  };
  return {
    decided(change) {
      const entry = loggedDecision(change, new Date(clock.now()));
      const place = placeOf(change.facts.parent ?? change.review.object);
      // A log lies beside its parent.
      if (entry === undefined || place.namespace === '' || place.name === '') return;
      const request = requestFor(place);
      const known = sameObject(pending.get(request.name), uidOf(change));
      const before = known ?? begun(place, uidOf(change));
      addEntry(before.entries, entry, limit);
      const after = withChange(before, change);
      pending.set(request.name, after);
      if (known === undefined || isSooner(before, after, change)) onNews(request);
    },
    of: (key) => {
      const found = pending.get(key);
      return found && pendingIn(found, limit);
    },
    drop(key, written) {
      const now = pending.get(key);
      if (now?.batch !== written.batch) return;
      const entries = entriesWithout(now.entries, written, limit);
      if (entries.size === 0) pending.delete(key);
      else pending.set(key, { ...now, ...newBatch(), entries });
    },
  };
}

/** What is pending, with its decisions by what makes them equal. */
type Kept = Omit<Pending, 'decisions'> & { readonly entries: Map<string, LoggedDecision> };

/** There are no more than a log keeps; the latest is last. */
function addEntry(entries: Map<string, LoggedDecision>, entry: LoggedDecision, limit: number): void {
  const key = textOf(entry);
  const times = (entries.get(key)?.times ?? 0) + entry.times;
  entries.delete(key);
  entries.set(key, { ...entry, times });
  if (entries.size > limit) entries.delete(entries.keys().next().value ?? '');
}

function entriesWithout(entries: Kept['entries'], { decisions }: Pending, limit: number): Kept['entries'] {
  const left = new Map<string, LoggedDecision>();
  for (const entry of withoutDecisions([...entries.values()], decisions)) addEntry(left, entry, limit);
  return left;
}

function withChange(before: Kept, change: ReportedChange): Kept {
  const { accepted } = change;
  const contents = accepted === undefined ? before.contents : withContent(before.contents, accepted);
  const isRoutine = before.isRoutine && isExpected(change);
  return { ...before, contents, isRoutine };
}

function pendingIn({ entries, ...rest }: Kept, limit: number): Pending {
  return { ...rest, decisions: mergeDecisions([], [...entries.values()], limit) };
}

function isSooner(before: Kept, after: Kept, { accepted }: ReportedChange): boolean {
  const isFirst = accepted !== undefined && !isKnownKind(before.contents, accepted);
  return isFirst || after.isRoutine !== before.isRoutine;
}

/** What a person's deletion leaves as the last right content is what its controller makes again in a moment. */
function isExpected({ review, decision }: ReportedChange): boolean {
  return review.operation !== 'DELETE' && ACCEPTED.has(decision.reason);
}

/** An object of the same name that is gone takes its log with it. */
function sameObject(before: Kept | undefined, uid: string | undefined): Kept | undefined {
  return before?.uid === undefined || uid === undefined || before.uid === uid ? before : undefined;
}

/** The server gives a new object its uid only after admission. */
function uidOf({ facts, review }: ReportedChange): string | undefined {
  if (facts.parent !== undefined) return facts.parent.metadata.uid;
  return review.operation === 'CREATE' ? undefined : review.object.metadata.uid;
}
