import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { formatFieldErrors } from '@kubewright/kube/validation';
import { goKind } from '../rest/decode-body.ts';
import { objectAt, stringAt } from '../objects/read.ts';
import type { Errors } from '../validation/errors.ts';
import { validateAnnotations, validateLabels } from '../validation/validate-labels.ts';

/** A converted object, or why it is not used; `isRaw` where the message does not name the webhook. */
type Acceptance = { readonly object: KubeObject } | { readonly fault: string; readonly isRaw?: true };

/**
 * What a webhook made of an object: of its metadata it may change labels and annotations alone, the rest stays as it
 * was (`validateConvertedObject` and `restoreObjectMeta` of `k8s.io/apiextensions-apiserver`).
 */
export function acceptConverted(
  converted: Json | undefined,
  original: KubeObject,
  apiVersion: string,
): Acceptance {
  if (!isJsonObject(converted)) {
    const kind = goKind(converted ?? null);
    return {
      fault: `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      isRaw: true,
    };
  }
  const fault = typeFault(converted, original, apiVersion) ?? identityFault(converted, original);
  return fault === undefined ? withMetadata(converted, original) : { fault };
}

function typeFault(converted: JsonObject, original: KubeObject, apiVersion: string): string | undefined {
  const [version, kind] = [stringAt(converted, 'apiVersion'), stringAt(converted, 'kind')];
  const at = 'invalid object at index 0';
  if (version !== apiVersion)
    return `${at}: invalid groupVersion (expected ${apiVersion}, received ${version})`;
  if (kind === original.kind) return undefined;
  return `${at}: invalid kind (expected ${original.kind}, received ${kind})`;
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function identityFault(converted: JsonObject, original: KubeObject): string | undefined {
  const metadata = objectAt(converted, 'metadata');
  for (const [key, word] of IDENTITY) {
    const [before, after] = [original.metadata[key] ?? '', stringAt(metadata, key)];
    if (before !== after) return `invalid object: must have the same ${word}: ${before} != ${after}`;
  }
  return undefined;
}

function withMetadata(converted: JsonObject, original: KubeObject): Acceptance {
  const metadata = objectAt(converted, 'metadata');
  const { labels: _, annotations: __, ...kept } = original.metadata;
  const labels = mapFault(metadata, 'labels', validateLabels);
  const fault = labels ?? mapFault(metadata, 'annotations', validateAnnotations);
  if (fault !== undefined) return { fault: `invalid metadata: ${fault}` };
  const changed = ['labels', 'annotations'].flatMap((key) => {
    const value = getOwn(metadata, key) ?? null;
    return value === null ? [] : [[key, value] as const];
  });
  return { object: { ...converted, metadata: { ...kept, ...Object.fromEntries(changed) } } as KubeObject };
}

type MapRule = (metadata: JsonObject, key: string, path: string) => Errors;

function mapFault(metadata: JsonObject, key: string, rule: MapRule): string | undefined {
  const map = getOwn(metadata, key) ?? null;
  if (map === null) return undefined;
  if (!isJsonObject(map)) return `invalid metadata.${key} of type ${goType(map)} in converted object`;
  for (const [name, value] of Object.entries(map)) {
    if (typeof value !== 'string')
      return `metadata.${key}[${name}] must be a string, but is ${goType(value)} in converted object`;
  }
  // Upstream leaves out the last letter, and clients compare its errors.
  const path = key === 'labels' ? 'metadata.labels' : 'metadata.annotation';
  const errors = rule(metadata, key, path);
  return errors.length === 0 ? undefined : formatFieldErrors(errors);
}

/** The type that Go's decoder gives a value. */
function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
