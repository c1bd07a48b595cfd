import { defined, formatTime, type KubeObject } from '@kubewright/kube';
import { GROUP, type Hop } from '../api.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { modeOf } from '../annotations/find-approval.ts';
import { withAnnotations } from '../decide/annotations-for-people.ts';
import { changedPaths } from '../decide/changed-fields.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';
import type { ReportedChange } from '../reports/drift-report.ts';
import type { LoggedDecision, LoggedHop } from './decision-logs.ts';
import { seenObjects } from './seen-objects.ts';

/** Neither spec nor data changes, or what is deleted takes its log with it. */
const NOT_LOGGED = new Set<AdmissionDecision['reason']>([
  'Metadata',
  'Status',
  'TooMany',
  'MayNotApprove',
  'ParentDeleting',
]);
/** Only the parent's trace says why these were not expected. */
const ABOUT_DRIFT = new Set<AdmissionDecision['reason']>(['Drift', 'Approved', 'Rejected', 'Frozen']);

const MOST_FIELDS = 20;
const LONGEST_PATH = 256;
const DEEPEST = 8;
const LATEST_HOPS = 2;
const MOST_LABELS = 5;
const LONGEST_TEXT = 100;

/** The entry of a decision in the log of its parent; undefined: it is not logged. Pure. */
export function loggedDecision(
  { review, facts, decision }: ReportedChange,
  now: Date,
): LoggedDecision | undefined {
  const { operation, object, user } = review;
  const { parent, mode } = facts;
  const { reason, allowed, approval } = decision;
  if (NOT_LOGGED.has(reason) || isOurs(object)) return undefined;
  if (parent === undefined && operation === 'DELETE') return undefined;
  const trace = ABOUT_DRIFT.has(reason)
    ? traceOf(parent)
    : traceOf(withAnnotations(object, decision.annotations ?? {}));
  return {
    time: formatTime(now),
    times: 1,
    operation,
    object: referenceTo(review),
    ...defined({ parentGeneration: parent?.metadata.generation }),
    user: cut(user),
    reason,
    allowed,
    mode,
    ...(approval === undefined
      ? {}
      : { approval: { mode: modeOf(approval), ...defined({ by: approval.by, at: approval.at }) } }),
    fields: fieldsOf(review),
    trace: [...trace.slice(0, 1), ...trace.slice(1).slice(-LATEST_HOPS)].map(hopOf),
    hops: trace.length,
    ...seenIn(review, parent, reason),
  };
}

/** Only drift is replayed. */
function seenIn(
  review: Review,
  parent: KubeObject | undefined,
  reason: AdmissionDecision['reason'],
): Pick<LoggedDecision, 'seen'> {
  if (reason !== 'Drift' && reason !== 'Approved') return {};
  const seen = seenObjects(review, parent);
  return Object.keys(seen).length === 0 ? {} : { seen };
}

/** A log of the logs would never end. */
function isOurs({ apiVersion }: KubeObject): boolean {
  return apiVersion.startsWith(`${GROUP}/`);
}

function referenceTo({ operation, object }: Review): LoggedDecision['object'] {
  const { apiVersion, kind, metadata } = object;
  const { name = `${metadata.generateName ?? ''}*`, uid } = metadata;
  return { apiVersion, kind, name, ...(operation === 'CREATE' ? {} : defined({ uid })) };
}

/** Where an update changes too many fields, those above them. None: the whole object. */
function fieldsOf({ operation, object, old }: Review): readonly string[] {
  if (operation !== 'UPDATE' || old === undefined) return [];
  for (let depth = DEEPEST; depth > 0; depth--) {
    const paths = changedPaths(old, object, depth);
    if (paths.length <= MOST_FIELDS && paths.every(({ length }) => length <= LONGEST_PATH)) return paths;
  }
  return [];
}

function hopOf({ apiVersion, kind, name, generation, user, timestamp, labels, tool }: Hop): LoggedHop {
  const kept = Object.entries(labels ?? {})
    .filter(([, value]) => typeof value === 'string')
    .slice(0, MOST_LABELS)
    .map(([key, value]) => [cut(key), cut(value)] as const);
  return {
    apiVersion: cut(apiVersion),
    kind: cut(kind),
    name: cut(name),
    generation,
    user: cut(user),
    timestamp: cut(timestamp),
    ...(kept.length === 0 ? {} : { labels: Object.fromEntries(kept) }),
    ...(tool === undefined ? {} : { tool: cutAll(tool) }),
  };
}

function cutAll({ title, revision, again }: NonNullable<Hop['tool']>): NonNullable<LoggedHop['tool']> {
  return { title: cut(title), ...defined({ revision: revision && cut(revision), again }) };
}

/** Users write the traces of objects that nothing tracked. */
function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
}
