import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import { type NamespaceCondition, namespaceConditions } from './namespace-conditions.ts';
import type { PurgeReport, ResourceOutcome } from './purge.ts';

/** What this controller takes out of `spec.finalizers` when a namespace is empty. */
const FINALIZER = 'kubernetes';
/** Seconds that other controllers are given to finish with what has finalizers. */
const FINALIZER_ESTIMATE = 15;

/** `mark`: its phase does not say yet that it ends. */
export type Step = 'leave' | 'mark' | 'purge';

/** What is to be done with a namespace as it is. Pure. */
export function decideStep(namespace: KubeObject): Step {
  if (namespace.metadata.deletionTimestamp === undefined) return 'leave';
  if (statusOf(namespace)['phase'] !== 'Terminating') return 'mark';
  return finalizersOf(namespace).length > 0 ? 'purge' : 'leave';
}

/** What follows from a purge. */
export type Conclusion = {
  /** Absent where it says already what there is to say. */
  readonly status?: JsonObject;
  /** Nothing is left: the namespace may go. */
  readonly finalize: boolean;
  /** Milliseconds until something more should be gone. */
  readonly requeueAfter?: number;
  /** What went wrong; to be tried again soon. */
  readonly errors: readonly string[];
};

/** After `deleteAllContent` of Kubernetes' namespace controller. Pure. */
export function conclude(namespace: Stored, report: PurgeReport, now: Date): Conclusion {
  const { name, deletionTimestamp = '' } = namespace.metadata;
  const elapsed = (now.getTime() - Date.parse(deletionTimestamp)) / 1000;
  const outcomes = report.outcomes.map((outcome) => withinGrace(outcome, elapsed));
  const contentErrors = outcomes.flatMap((outcome) => errorOf(outcome, name));
  const old = statusOf(namespace);
  const before = conditionsOf(old);
  const conditions = namespaceConditions(before, { ...report, outcomes }, contentErrors, now);
  const status = { ...old, conditions: conditions.map((condition) => ({ ...condition })) };
  const errors = [report.discoveryError ?? [], contentErrors].flat();
  const seconds = Math.max(0, ...outcomes.map(estimateOf));
  return {
    ...(conditions === before ? {} : { status }),
    finalize: errors.length === 0 && seconds === 0,
    ...(seconds > 0 ? { requeueAfter: (Math.floor(seconds / 2) + 1) * 1000 } : {}),
    errors,
  };
}

/** Past the grace of its pods nothing more is expected of it. */
function withinGrace(outcome: ResourceOutcome, elapsed: number): ResourceOutcome {
  return elapsed < outcome.graceSeconds ? outcome : { ...outcome, graceSeconds: 0 };
}

function estimateOf({ remaining, graceSeconds, finalizers, error }: ResourceOutcome): number {
  if (error !== undefined) return graceSeconds;
  if (remaining === 0) return 0;
  return graceSeconds > 0 || finalizers.size === 0 ? graceSeconds : FINALIZER_ESTIMATE;
}

/** What is left for no reason is a fault: it should be gone. */
function errorOf(
  { ref, remaining, graceSeconds, finalizers, error }: ResourceOutcome,
  name: string,
): readonly string[] {
  const message = (text: string): readonly string[] => [text];
  if (error !== undefined) return message(error);
  if (remaining === 0 || graceSeconds > 0 || finalizers.size > 0) return [];
  const resource = `${ref.group}/${ref.version}, Resource=${ref.resource}`;
  return message(`unexpected items still remain in namespace: ${name} for gvr: ${resource}`);
}

/** The namespace without this controller's finalizer. */
export function finalized(namespace: KubeObject): KubeObject {
  const finalizers = finalizersOf(namespace).filter((finalizer) => finalizer !== FINALIZER);
  const spec = getOwn(namespace, 'spec');
  return { ...namespace, spec: { ...(isJsonObject(spec) ? spec : {}), finalizers: finalizers.toSorted() } };
}

/** The namespace in its last phase. */
export function marked(namespace: KubeObject): KubeObject {
  return { ...namespace, status: { ...statusOf(namespace), phase: 'Terminating' } };
}

function finalizersOf(namespace: KubeObject): readonly string[] {
  const spec = getOwn(namespace, 'spec');
  const finalizers = isJsonObject(spec) ? getOwn(spec, 'finalizers') : undefined;
  return isJsonArray(finalizers) ? finalizers.filter((one) => typeof one === 'string') : [];
}

function statusOf(namespace: KubeObject): JsonObject {
  const status = getOwn(namespace, 'status');
  return isJsonObject(status) ? status : {};
}

function conditionsOf(status: JsonObject): readonly NamespaceCondition[] {
  const conditions = getOwn(status, 'conditions');
  return isJsonArray(conditions) ? (conditions as readonly NamespaceCondition[]) : [];
}
