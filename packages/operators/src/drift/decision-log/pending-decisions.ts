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
import { mergeDecisions, withoutDecisions } from './merge-decisions.ts';

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
  const pending = new Map<string, Pending>();
  let batches = 0;
  const newBatch = () => ({ since: clock.monotonic(), batch: ++batches });
  const begun = (place: ObjectPlace, uid: string | undefined): Pending => {
    if (pending.size >= MOST_PARENTS && !pending.has(requestFor(place).name))
      pending.delete(pending.keys().next().value ?? '');
    return { ...EMPTY, ...defined({ uid }), place, ...newBatch() };
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
      const after = withDecision(before, entry, change);
      // Equal ones are merged when they are read; meanwhile there are not many more than a log keeps.
      const isLong = after.decisions.length > 2 * limit;
      pending.set(request.name, isLong ? merged(after, limit) : after);
      if (known === undefined || isSooner(before, after, change)) onNews(request);
    },
    of: (key) => {
      const found = pending.get(key);
      return found && merged(found, limit);
    },
    drop(key, written) {
      const now = pending.get(key);
      if (now?.batch !== written.batch) return;
      const decisions = withoutDecisions(merged(now, limit).decisions, written.decisions);
      if (decisions.length === 0) pending.delete(key);
      else pending.set(key, { ...now, ...newBatch(), decisions });
    },
  };
}

const EMPTY: Pick<Pending, 'decisions' | 'contents' | 'isRoutine'> = {
  decisions: [],
  contents: [],
  isRoutine: true,
};

function withDecision(before: Pending, entry: LoggedDecision, change: ReportedChange): Pending {
  const { accepted } = change;
  const contents = accepted === undefined ? before.contents : withContent(before.contents, accepted);
  const isRoutine = before.isRoutine && isExpected(change);
  return { ...before, decisions: [...before.decisions, entry], contents, isRoutine };
}

function merged(one: Pending, limit: number): Pending {
  return { ...one, decisions: mergeDecisions([], one.decisions, limit) };
}

function isSooner(before: Pending, after: Pending, { accepted }: ReportedChange): boolean {
  const isFirst = accepted !== undefined && !isKnownKind(before.contents, accepted);
  return isFirst || after.isRoutine !== before.isRoutine;
}

/** What a person's deletion leaves as the last right content is what its controller makes again in a moment. */
function isExpected({ review, decision }: ReportedChange): boolean {
  return review.operation !== 'DELETE' && ACCEPTED.has(decision.reason);
}

/** An object of the same name that is gone takes its log with it. */
function sameObject(before: Pending | undefined, uid: string | undefined): Pending | undefined {
  return before?.uid === undefined || uid === undefined || before.uid === uid ? before : undefined;
}

/** The server gives a new object its uid only after admission. */
function uidOf({ facts, review }: ReportedChange): string | undefined {
  if (facts.parent !== undefined) return facts.parent.metadata.uid;
  return review.operation === 'CREATE' ? undefined : review.object.metadata.uid;
}
