import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  stringifyJson,
} from '@kubewright/kube';
import { itemsAt, maybeObject, stringAt, valueAt } from '../../objects/read.ts';

/** Where v1 keeps what only v2 has a place for. */
export const ANNOTATIONS = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

/** Of what is not JSON nothing follows. */
export function readAnnotation(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] | undefined {
  return value !== undefined && isJsonArray(value) ? value.filter(isJsonObject) : undefined;
}

/** `spec.behavior` as the annotation holds it: under the names of Go's fields. */
export function behaviorText(behavior: JsonObject): string {
  const rules = (key: string): Json => {
    const found = maybeObject(behavior, key);
    return found === undefined ? null : goRules(found);
  };
  return stringifyJson({ ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') });
}

function goRules(rules: JsonObject): JsonObject {
  return {
    StabilizationWindowSeconds: valueAt(rules, 'stabilizationWindowSeconds'),
    SelectPolicy: valueAt(rules, 'selectPolicy'),
    Policies: itemsAt(rules, 'policies')
      .filter(isJsonObject)
      .map((policy) => ({
        Type: stringAt(policy, 'type'),
        Value: valueAt(policy, 'value'),
        PeriodSeconds: valueAt(policy, 'periodSeconds'),
      })),
    Tolerance: valueAt(rules, 'tolerance'),
  };
}

/** The other way; names match in any case, as in Go. Undefined where nothing is set. */
export function behaviorFrom(text: string): JsonObject | undefined {
  const value = readAnnotation(text);
  const behavior = value === undefined ? undefined : lowered(value);
  return behavior !== undefined && isJsonObject(behavior) && Object.keys(behavior).length > 0
    ? behavior
    : undefined;
}

function lowered(value: Json): Json {
  if (isJsonArray(value)) return value.map(lowered);
  if (!isJsonObject(value)) return value;
  const given = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(
    given.map(([key, entry]) => [`${key.slice(0, 1).toLowerCase()}${key.slice(1)}`, lowered(entry)]),
  );
}
