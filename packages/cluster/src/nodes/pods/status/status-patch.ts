import {
  type corev1,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  jsonEqual,
  type JsonObject,
  type Stored,
} from '@kubewright/kube';

/**
 * The strategic merge patch that makes a pod's status what a kubelet wants it to be; undefined where it is. Conditions of
 * others are left alone, and nothing is written over that a kubelet does not own.
 */
export function statusPatch(pod: Stored<corev1.Pod>, wanted: corev1.PodStatus): JsonObject | undefined {
  const old: JsonObject = pod.status ?? {};
  const status: Record<string, Json> = {};
  for (const [key, value] of Object.entries(wanted)) {
    if (key === 'conditions' || jsonEqual(withoutNulls(getOwn(old, key)), value)) continue;
    status[key] = value;
  }
  const conditions = (wanted.conditions ?? []).flatMap((condition) => conditionPatch(pod, condition));
  if (conditions.length > 0) status['conditions'] = conditions;
  if (Object.keys(status).length === 0) return undefined;
  // The uid is a precondition: another pod of that name has nothing to do with this one.
  return { metadata: { uid: pod.metadata.uid }, status };
}

const FIELDS = ['status', 'reason', 'message', 'observedGeneration', 'lastTransitionTime'] as const;

function conditionPatch(pod: Stored<corev1.Pod>, wanted: corev1.PodCondition): readonly JsonObject[] {
  const old = pod.status?.conditions?.find(({ type }) => type === wanted.type);
  if (old !== undefined && FIELDS.every((field) => old[field] === wanted[field])) return [];
  const dropped = FIELDS.filter((field) => old?.[field] !== undefined && wanted[field] === undefined);
  const nothing = Object.fromEntries(dropped.map((field) => [field, null]));
  return [{ ...wanted, ...nothing }];
}

/** Servers show times that nobody set as null. */
function withoutNulls(value: Json | undefined): Json | undefined {
  if (isJsonArray(value)) return value.map((item) => withoutNulls(item) ?? null);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item) ?? null]));
}
