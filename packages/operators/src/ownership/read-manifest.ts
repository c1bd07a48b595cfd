import { isJsonObject, type Json, type JsonObject, KubeError, type Named, parseJson } from '@kubewright/kube';
import type { Manifest } from './api.ts';
import { ANNOTATION_PREFIX } from './api.ts';
import { type ManifestGroups, manifestGroups } from './manifest-groups.ts';
import { type ReadinessCheck, readinessChecks } from './readiness.ts';

/** One manifest of a slice, ready to apply. */
export type DesiredManifest = {
  /** Without status, creation time, and this operator's annotations and labels. */
  readonly object: Named;
  /** This operator's annotations, with the Composition's as defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /** A tombstone: the object must not exist. */
  readonly deleted: boolean;
  /** The manifest's `eno.azure.io/readiness*` expressions. */
  readonly readiness: readonly ReadinessCheck[];
  /** `eno.azure.io/fail-open`: a failure counts as success. */
  readonly failOpen: boolean | undefined;
} & ManifestGroups;

/** Parses a manifest as the original does; returns a string that describes what is wrong. */
export function readManifest(
  manifest: Manifest,
  inherited: Readonly<Record<string, string>> = {},
): DesiredManifest | string {
  const parsed = parse(manifest.manifest ?? '');
  if (typeof parsed === 'string') return parsed;
  const { status: _status, metadata, ...rest } = parsed;
  const { apiVersion, kind } = rest;
  const meta = isJsonObject(metadata) ? metadata : {};
  const { name } = meta;
  if (!isName(apiVersion) || !isName(kind) || !isName(name)) return 'missing name, kind, or apiVersion';
  const {
    creationTimestamp: _created,
    managedFields: _managed,
    resourceVersion: _rv,
    uid: _uid,
    ...kept
  } = meta;
  const annotations = stringsOf(kept['annotations']);
  const cleaned = withMap(withMap(kept, 'annotations'), 'labels');
  return {
    object: { ...rest, apiVersion, kind, metadata: { ...cleaned, name } },
    settings: { ...ours(inherited), ...ours(annotations) },
    deleted: manifest.deleted === true,
    readiness: readinessChecks(annotations),
    failOpen: goBoolean(annotations['eno.azure.io/fail-open']),
    ...manifestGroups(kind, annotations),
  };
}

function parse(text: string): JsonObject | string {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : 'invalid json: not an object';
  } catch (error) {
    if (error instanceof KubeError) return `invalid json: ${error.message}`;
    throw error;
  }
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** What Go parses as a boolean; anything else is ignored. */
function goBoolean(text = ''): boolean | undefined {
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function withMap(meta: JsonObject, field: 'annotations' | 'labels'): JsonObject {
  const { [field]: map, ...rest } = meta;
  if (!isJsonObject(map)) return meta;
  const kept = Object.entries(map).filter(([key]) => !key.startsWith(ANNOTATION_PREFIX));
  return kept.length === 0 ? rest : { ...rest, [field]: Object.fromEntries(kept) };
}

function stringsOf(map: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(map)) return {};
  return Object.fromEntries(
    Object.entries(map).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

function ours(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(ANNOTATION_PREFIX)));
}
