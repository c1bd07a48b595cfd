import type { Clock } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import type { Request } from '@kubewright/runtime';
import type { ObjectPlace } from '../api.ts';
import { placeOf } from '../annotations/place-of.ts';
import { requestFor } from '../records/notes.ts';
import { withContent, type AcceptedContent } from '../decide/accepted-content.ts';
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
  /** When the first was made, in milliseconds of {@link Clock.monotonic}. */
  readonly since: number;
  /** What was written of one batch is not in the next. */
  readonly batch: number;
};

/** In memory: after a crash, the last second of the log is missing, but not what a spec has given first. */
export type PendingDecisions = {
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
  return {
    decided(change) {
      const entry = loggedDecision(change, new Date(clock.now()));
      const place = placeOf(change.facts.parent ?? change.review.object);
      // A log lies beside its parent.
      if (entry === undefined || place.namespace === '' || place.name === '') return;
      const request = requestFor(place);
      const uid = uidOf(change);
      const before = sameObject(pending.get(request.name), uid) ?? {
        decisions: [],
        contents: [],
        ...newBatch(),
      };
      if (pending.size >= MOST_PARENTS && !pending.has(request.name))
        pending.delete(pending.keys().next().value ?? '');
      const decisions = mergeDecisions(before.decisions, [entry], limit);
      const { accepted } = change;
      const contents = accepted === undefined ? before.contents : withContent(before.contents, accepted);
      pending.set(request.name, { ...defined({ uid }), ...before, place, decisions, contents });
      onNews(request);
    },
    of: (key) => pending.get(key),
    drop(key, written) {
      const now = pending.get(key);
      if (now?.batch !== written.batch) return;
      const decisions = withoutDecisions(now.decisions, written.decisions);
      if (decisions.length === 0) pending.delete(key);
      else pending.set(key, { ...now, ...newBatch(), decisions });
    },
  };
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
