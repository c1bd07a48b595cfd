import {
  defined,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type KubeObject,
  type Named,
  parseApiVersion,
  parseJson,
  type Stored,
} from '@kubewright/kube';
import type { Path } from '@kubewright/kube/fields';
import { ANNOTATION_PREFIX, ANNOTATIONS, GROUP, type Manifest } from './api.ts';
import { ownerVariables } from './cel-variables.ts';
import { type ManifestGroups, manifestGroups } from './manifest-groups.ts';
import { applyOverrides } from './overrides/apply-overrides.ts';
import { readOverrides } from './overrides/read-overrides.ts';
import { type ReadinessCheck, readinessChecks } from './readiness.ts';
import { storedForm } from './stored-form.ts';

/** One manifest of a slice, ready to apply. */
export type DesiredManifest = {
  /** As the server stores it, without status, creation time, and this operator's annotations and labels. */
  readonly object: Named;
  /** This operator's annotations, with the Composition's as defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /** A tombstone: the object must not exist. */
  readonly deleted: boolean;
  /** The manifest's `eno.azure.io/readiness*` expressions. */
  readonly readiness: readonly ReadinessCheck[];
  /** `eno.azure.io/fail-open`: a failure counts as success. */
  readonly failOpen: boolean | undefined;
  /** Of a Patch: the operations (RFC 6902) on `object`, which it does not create. */
  readonly patch?: readonly Json[];
  /** The object stays although it must not exist any more: its Composition is being deleted with strategy `orphan`. */
  readonly orphaned?: boolean;
  /** Of a Patch: no manifest applies its object, or only one of an earlier group, so it may change everything. */
  readonly prevails?: boolean;
  /** It is deleted because no manifest has it any more, and not because one is a tombstone. */
  readonly isDropped?: boolean;
  /** Fields of which another Composition wants other values. */
  readonly contested?: readonly ContestedField[];
  /** Fields that overrides leave to other owners. */
  readonly delegated?: readonly Path[];
  /** The manifest with the overrides that apply to the live object. Absent: it has none. */
  readonly overridden?: (live: Stored | undefined) => DesiredManifest;
} & ManifestGroups;

/** A field of which another Composition wants another value. `isLost`: that one counts. */
export type ContestedField = { readonly path: string; readonly holder: string; readonly isLost: boolean };

/** The manifest of an object in another Composition. */
export type RivalManifest = {
  /** `Composition shop/web`. */
  readonly holder: string;
  /** Whether its Composition comes before ours: then its values count. */
  readonly isFirst: boolean;
  readonly manifest: DesiredManifest;
};

/** Parses a manifest as the original does; returns a string that describes what is wrong. */
export function readManifest(
  manifest: Manifest,
  owner: Pick<KubeObject, 'metadata'> = { metadata: {} },
): DesiredManifest | string {
  const parsed = parse(manifest.manifest ?? '');
  if (typeof parsed === 'string') return parsed;
  const deleted = manifest.deleted === true;
  const read = manifestOf(parsed, owner, deleted);
  if (typeof read === 'string') return read;
  const overrides = readOverrides(annotationsOf(parsed)[ANNOTATIONS.overrides]);
  if (overrides.length === 0) return read;
  return {
    ...read,
    overridden(live) {
      const { object, delegated } = applyOverrides(parsed, overrides, live, ownerVariables(owner));
      const next = manifestOf(object, owner, deleted);
      // What is no manifest any more, or one of another object, is no override either.
      return typeof next === 'string' || !isOfSame(next.object, read.object)
        ? read
        : { ...next, ...fixedOf(read), delegated };
    },
  };
}

function isOfSame(next: Named, read: Named): boolean {
  const group = ({ apiVersion }: Named): string => parseApiVersion(apiVersion).group;
  const { name, namespace } = next.metadata;
  const isKind = next.kind === read.kind && group(next) === group(read);
  return isKind && name === read.metadata.name && namespace === read.metadata.namespace;
}

/** What overrides do not change, as in the original. */
function fixedOf({ readiness, failOpen, readinessGroup, isGroupOfKind, deletionGroup }: DesiredManifest) {
  return { readiness, failOpen, readinessGroup, deletionGroup, ...defined({ isGroupOfKind }) };
}

/** `ConfigMap shop/settings`, for people; also of a manifest that cannot be read. */
export function manifestName({ manifest = '' }: Manifest): string {
  const parsed = parse(manifest);
  if (typeof parsed === 'string') return 'an unreadable manifest';
  const { kind, metadata } = parsed;
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return `${isName(kind) ? kind : 'an object'} ${[namespace, name].filter(isName).join('/')}`;
}

function manifestOf(
  { status: _status, metadata, ...rest }: JsonObject,
  owner: Pick<KubeObject, 'metadata'>,
  deleted: boolean,
): DesiredManifest | string {
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
  const target = targetOf({ apiVersion, kind }, rest['patch'], meta);
  if (typeof target === 'string') return target;
  const settings = { ...ours(owner.metadata.annotations ?? {}), ...ours(annotations) };
  return {
    object: storedForm({ ...rest, apiVersion, kind, metadata: { ...cleaned, name } }),
    settings,
    deleted,
    orphaned: isOrphaned(settings, owner),
    readiness: readinessChecks(annotations),
    failOpen: goBoolean(annotations[ANNOTATIONS.failOpen]),
    ...target,
    ...manifestGroups(target?.object.kind ?? kind, annotations),
  };
}

/** Only the deletion of the Composition leaves objects; what a manifest drops goes, as in the original. */
export function isOrphaned(
  settings: DesiredManifest['settings'],
  { metadata }: Pick<KubeObject, 'metadata'>,
): boolean {
  return metadata.deletionTimestamp !== undefined && deletionStrategy(settings) === 'orphan';
}

/** In lower case: `orphan` and `foreground` have a meaning. */
export function deletionStrategy(settings: DesiredManifest['settings']): string {
  return (settings[ANNOTATIONS.deletionStrategy] ?? '').toLowerCase();
}

type PatchTarget = Pick<DesiredManifest, 'object' | 'patch' | 'orphaned'>;

/** The object that a manifest is about, where that is another one. */
function targetOf(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  patch: Json | undefined,
  meta: JsonObject,
): PatchTarget | string | undefined {
  if (!isApiVersion(apiVersion)) return `invalid apiVersion: ${apiVersion}`;
  const isPatch = kind === 'Patch' && parseApiVersion(apiVersion).group === GROUP;
  return isPatch ? patchTarget(patch, meta) : undefined;
}

/** The object that a Patch changes, under the name and namespace of the Patch. */
function patchTarget(patch: Json | undefined, { name, namespace }: JsonObject): PatchTarget | string {
  const { apiVersion, kind, ops = [] } = isJsonObject(patch) ? patch : {};
  if (!isName(apiVersion) || !isName(kind) || !isName(name)) return 'missing apiVersion or kind of the patch';
  if (!isApiVersion(apiVersion)) return `invalid apiVersion of the patch: ${apiVersion}`;
  const metadata = { name, ...(isName(namespace) ? { namespace } : {}) };
  return { object: { apiVersion, kind, metadata }, patch: isJsonArray(ops) ? ops : [], orphaned: false };
}

function annotationsOf({ metadata }: JsonObject): Readonly<Record<string, string>> {
  return isJsonObject(metadata) ? stringsOf(metadata['annotations']) : {};
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

/** Group and version, or a version alone. */
function isApiVersion(text: string): boolean {
  return text.split('/').length <= 2;
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
