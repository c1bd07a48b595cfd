import { defined, formatTime, type KubeObject, KubeError, parseTime } from '@kubewright/kube';
import type { Hop } from '../api.ts';
import { modeOf } from '../annotations/find-approval.ts';
import { extendTrace, labelsOf, traceOf } from '../annotations/trace-of.ts';
import { relationOf } from './controller-identity.ts';
import type { Judgement } from './judge.ts';
import { observedGenerationOf } from './is-reconciling.ts';
import type { Review, World } from './review.ts';

/** A hop that another webhook call of the same write has made is not older. */
const SAME_WRITE_MS = 10_000;

/**
 * Why the object will be as it is: its parent's trace and one hop more, where the change follows from the parent's;
 * else a trace that begins with whoever writes. `annotations` are those that the object will have.
 */
export function nextTrace(
  review: Review,
  { parent }: World,
  judgement: Judgement,
  { annotations, now }: { readonly annotations: Readonly<Record<string, string>>; readonly now: Date },
): readonly Hop[] {
  const timestamp = formatTime(now);
  const hop: Hop = {
    ...placeOf(review.object, generationOf(review)),
    user: review.user,
    timestamp,
    ...defined({ labels: labelsOf(annotations) }),
    ...approvalIn(judgement, parent),
  };
  const causes =
    parent !== undefined && followsFrom(review, parent, judgement) ? tracedTo(parent, timestamp) : [];
  return sameWrite(traceOf(review.object), extendTrace(causes, hop), now);
}

/** Whether a change is a consequence of the parent's. */
function followsFrom(review: Review, parent: KubeObject, { reason }: Judgement): boolean {
  if (!['Reconciling', 'Initializing', 'ParentDeleting', 'HistoryCleanup'].includes(reason)) return false;
  const relation = relationOf(review, parent);
  // Who creates a child for a parent that nobody has reported about yet can only be taken for its controller.
  const isPlausible = review.operation === 'CREATE' || observedGenerationOf(parent) !== undefined;
  return relation === 'controller' || (relation === 'unknown' && isPlausible);
}

/** The parent's trace; of one that has none, the parent itself, changed by nobody knows whom. */
function tracedTo(parent: KubeObject, timestamp: string): readonly Hop[] {
  const trace = traceOf(parent);
  return trace.length > 0
    ? trace
    : [{ ...placeOf(parent, parent.metadata.generation ?? 0), user: '', timestamp }];
}

function approvalIn(judgement: Judgement, parent: KubeObject | undefined): Partial<Hop> {
  if (judgement.reason !== 'Approved' || parent === undefined) return {};
  const { approval } = judgement;
  const { generation, by, at } = approval;
  return {
    approval: { mode: modeOf(approval), ...defined({ generation, by, at }) },
    causedBy: placeOf(parent, parent.metadata.generation ?? 0),
  };
}

/** What the server will store: a hook is called before the generation is raised. */
function generationOf({ operation, object, old }: Review): number {
  if (operation === 'CREATE') return object['spec'] === undefined ? 0 : 1;
  const before = old?.metadata.generation;
  return before === undefined ? 0 : before + 1;
}

function placeOf({ apiVersion, kind, metadata }: KubeObject, generation: number) {
  return { apiVersion, kind, name: metadata.name ?? '', generation };
}

/** The same again as an earlier call of this very write made it, so that a second one changes nothing. */
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
