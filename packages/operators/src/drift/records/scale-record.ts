import { isJsonObject, type KubeObject } from '@kubewright/kube';
import { numberAt } from '../annotations/read-annotation.ts';
import { traceOf } from '../annotations/trace-of.ts';

/** A write of a scale that was allowed: the server stores no annotations with it. */
export type ScaleRecord = {
  /** Of the object, once the write is stored. */
  readonly generation: number;
  readonly replicas: number;
  /** The trace, and the updaters. */
  readonly annotations: Readonly<Record<string, string>>;
};

/** The annotations that an object lacks because its scale was written. */
export function annotationsOfScale(
  object: KubeObject,
  record: ScaleRecord | undefined,
): ScaleRecord['annotations'] | undefined {
  if (record === undefined || isAwaited(object, record)) return undefined;
  // Somebody else's change was stored instead, or a later one: it has its own trace.
  if (replicasOf(object) !== record.replicas) return undefined;
  return (traceOf(object).at(-1)?.generation ?? 0) < record.generation ? record.annotations : undefined;
}

/** Whether the write is not stored, or not yet. */
export function isAwaited({ metadata }: KubeObject, record: ScaleRecord | undefined): boolean {
  return record !== undefined && (metadata.generation ?? 0) < record.generation;
}

/** The object with the annotations that it is about to get. */
export function withScale<T extends KubeObject>(object: T, record: ScaleRecord | undefined): T {
  const more = annotationsOfScale(object, record);
  if (more === undefined) return object;
  const annotations = { ...object.metadata.annotations, ...more };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export function replicasOf({ spec }: KubeObject): number | undefined {
  return isJsonObject(spec) ? numberAt(spec, 'replicas') : undefined;
}
