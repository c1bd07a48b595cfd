import { defined, formatTime, type KubeObject, KubeError, parseTime } from '@kubewright/kube';
import { merged } from '../../kit/merged.ts';
import type { Hop } from '../api.ts';
import { modeOf } from '../annotations/find-approval.ts';
import { extendTrace, labelsOf, traceOf } from '../annotations/trace-of.ts';
import { addsDefaults } from './adds-defaults.ts';
import type { Applied } from './applied-by.ts';
import { relationOf } from './controller-identity.ts';
import type { Verdict } from './detect-drift.ts';
import { observedGenerationOf } from './is-reconciling.ts';
import type { Review, Facts } from './review.ts';

/** A hop that another webhook call for the same write made is at most this old. */
const SAME_WRITE_MS = 10_000;

/**
 * The trace of the object: its parent's with one more hop, if the change follows from the parent's; otherwise a new
 * trace, which begins with the user. `annotations` are those that will be stored.
 */
export function nextTrace(
  review: Review,
  { parent }: Facts,
  verdict: Verdict,
  { annotations, now }: { readonly annotations: Readonly<Record<string, string>>; readonly now: Date },
): readonly Hop[] {
  const timestamp = formatTime(now);
  const place = placeOf(review.object, generationOf(review));
  const written = defined({ user: review.user, timestamp, labels: labelsOf(annotations) });
  const hop: Hop = merged(place, written, approvalIn(verdict, parent));
  const causes =
    parent !== undefined && followsFrom(review, parent, verdict)
      ? tracedTo(parent, timestamp)
      : 'applied' in verdict && verdict.applied !== undefined
        ? [hopOfTool(verdict.applied, review.user, timestamp)]
        : causesBefore(review, parent, now);
  return sameWrite(traceOf(review.object), extendTrace(causes, hop), now);
}

/** What a tool applies is the cause of what it writes. */
function hopOfTool({ record, revision, isCorrection }: Applied, user: string, timestamp: string): Hop {
  const { title, apiVersion, kind, name, object } = record;
  const { generation = 0 } = object?.metadata ?? {};
  const again = isCorrection ? ({ again: true } as const) : {};
  return {
    apiVersion,
    kind,
    name,
    generation,
    user,
    timestamp,
    tool: { title, ...defined({ revision }), ...again },
  };
}

/** The causes of an object whose controller fills in defaults: not also what it filled in before. */
function causesBefore(review: Review, parent: KubeObject | undefined, now: Date): readonly Hop[] {
  const trace = addsDefaults(review, parent, now) ? traceOf(review.old) : [];
  const { kind, metadata } = review.object;
  const isSame = (hop: Hop): boolean =>
    hop.kind === kind && hop.name === metadata.name && hop.user === review.user;
  return trace.filter((hop, index) => index < trace.length - 1 || !isSame(hop));
}

const FOLLOWING: ReadonlySet<Verdict['reason']> = new Set([
  'Reconciling',
  'Initializing',
  'ParentDeleting',
  'HistoryCleanup',
  'Due',
  'Announced',
  'Repeated',
  'FromTemplate',
  'ByProfile',
]);

/** Whether a change follows from the parent's. */
function followsFrom(review: Review, parent: KubeObject, { reason }: Verdict): boolean {
  if (!FOLLOWING.has(reason)) return false;
  const relation = relationOf(review, parent);
  // A creator, before the parent has a status, can only be taken for its controller.
  const isPlausible = review.operation === 'CREATE' || observedGenerationOf(parent) !== undefined;
  return relation === 'controller' || (relation === 'unknown' && isPlausible);
}

/** The parent's trace; if it has none, the parent itself, by an unknown user. */
function tracedTo(parent: KubeObject, timestamp: string): readonly Hop[] {
  const trace = traceOf(parent);
  return trace.length > 0
    ? trace
    : [{ ...placeOf(parent, parent.metadata.generation ?? 0), user: '', timestamp }];
}

function approvalIn(verdict: Verdict, parent: KubeObject | undefined): Partial<Hop> {
  if (verdict.reason !== 'Approved' || parent === undefined) return {};
  const { approval } = verdict;
  const { generation, by, at } = approval;
  return {
    approval: { mode: modeOf(approval), ...defined({ generation, by, at }) },
    causedBy: placeOf(parent, parent.metadata.generation ?? 0),
  };
}

/** The generation that will be stored: admission runs before the server raises it. */
function generationOf({ operation, object, old }: Review): number {
  if (operation === 'CREATE') return object['spec'] === undefined ? 0 : 1;
  const before = old?.metadata.generation;
  return before === undefined ? 0 : before + 1;
}

function placeOf({ apiVersion, kind, metadata }: KubeObject, generation: number) {
  return { apiVersion, kind, name: metadata.name ?? '', generation };
}

/** Reuses the hop of an earlier call for the same write, so that reinvocation changes nothing. */
function sameWrite(sent: readonly Hop[], next: readonly Hop[], now: Date): readonly Hop[] {
  const at = timeOf(sent.at(-1)?.timestamp);
  if (at === undefined || now.getTime() - at > SAME_WRITE_MS || at > now.getTime()) return next;
  const timeless = (trace: readonly Hop[]): string =>
    JSON.stringify(trace.map((hop) => ({ ...hop, timestamp: '' })));
  return timeless(sent) === timeless(next) ? sent : next;
}

function timeOf(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : parseTime(text).getTime();
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}
