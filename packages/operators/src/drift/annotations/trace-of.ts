import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  stringifyJson,
  defined,
} from '@kubewright/kube';
import { ANNOTATIONS, type Hop, LABEL_PREFIX } from '../api.ts';
import { readAnnotation, numberAt, objectsOf, textAt } from './read-annotation.ts';

/** The first hop and the latest ones are kept. */
const MOST_HOPS = 20;

/** The trace of an object; empty if there is none, or it cannot be parsed. */
export function traceOf(object: KubeObject | undefined): readonly Hop[] {
  return (objectsOf(readAnnotation(object, ANNOTATIONS.trace) ?? '[]') ?? []).map(hopOf);
}

export function formatTrace(trace: readonly Hop[]): string {
  return stringifyJson(trace);
}

export function extendTrace(trace: readonly Hop[], hop: Hop): readonly Hop[] {
  const all = [...trace, hop];
  return all.length <= MOST_HOPS ? all : [...all.slice(0, 1), ...all.slice(1 - MOST_HOPS)];
}

/** The labels for an object's hop, from its annotations. */
export function labelsOf(
  annotations: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const labels = Object.entries(annotations)
    .filter(([key]) => key.startsWith(LABEL_PREFIX) && key.length > LABEL_PREFIX.length)
    .map(([key, value]) => [key.slice(LABEL_PREFIX.length), value] as const);
  return labels.length === 0 ? undefined : Object.fromEntries(labels);
}

/** Foreign hops are copied and shown, never acted on. */
function hopOf(entry: JsonObject): Hop {
  const [labels, approval, causedBy] = ['labels', 'approval', 'causedBy'].map((key) => {
    const value = getOwn(entry, key);
    return isJsonObject(value) ? value : undefined;
  });
  return {
    apiVersion: textAt(entry, 'apiVersion') ?? '',
    kind: textAt(entry, 'kind') ?? '',
    name: textAt(entry, 'name') ?? '',
    generation: numberAt(entry, 'generation') ?? 0,
    user: textAt(entry, 'user') ?? '',
    timestamp: textAt(entry, 'timestamp') ?? '',
    ...defined({ labels, approval, causedBy }),
  } as Hop;
}
