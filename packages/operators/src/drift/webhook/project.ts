import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { viewOf } from '../annotations/recorded-view.ts';
import { PREFIX } from '../api.ts';

const METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp'] as const;
const STATUS = ['observedGeneration', 'replicas', 'updatedReplicas'] as const;
/** The types of conditions that decisions use. */
const CONDITIONS: ReadonlySet<Json | undefined> = new Set([
  'Initialized',
  'Ready',
  'Available',
  'Synced',
  'Progressing',
  'Reconciling',
]);
const CONDITION = ['type', 'status', 'reason', 'observedGeneration', 'lastTransitionTime'] as const;

/**
 * Keeps only the fields of a parent that decisions use, a few hundred bytes of any object, and the annotations that
 * count.
 */
export function project<T extends KubeObject>(object: T): T {
  const { apiVersion, kind, metadata } = viewOf(object);
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(PREFIX));
  const projected: KubeObject = {
    apiVersion,
    kind,
    metadata: { ...pick(metadata, METADATA), annotations: Object.fromEntries(ours) },
    spec: pick(object['spec'], ['replicas']),
    status: statusOf(object['status']),
  };
  // A partial T: readers of this cache use it as a KubeObject.
  return projected as T;
}

function statusOf(status: Json | undefined): JsonObject {
  const conditions = isJsonObject(status) ? getOwn(status, 'conditions') : undefined;
  if (!isJsonArray(conditions)) return pick(status, STATUS);
  const used = conditions.filter((one) => isJsonObject(one) && CONDITIONS.has(getOwn(one, 'type')));
  return { ...pick(status, STATUS), conditions: used.map((one) => pick(one, CONDITION)) };
}

function pick(from: Json | undefined, keys: readonly string[]): JsonObject {
  if (!isJsonObject(from)) return {};
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = getOwn(from, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}
