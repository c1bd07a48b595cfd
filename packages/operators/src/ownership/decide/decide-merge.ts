import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  setOwn,
  type Stored,
  stringifyJson,
} from '@kubewright/kube';
import { FieldSet, getPath, type Path } from '@kubewright/kube/fields';
import { applyMergePatch } from '@kubewright/kube/patch';
import { atVersion } from '../../kit/any-kind-api.ts';
import type { ManifestState } from '../api.ts';
import { storedPaths } from '../stored-form.ts';
import { readApplied } from './applied-fields.ts';
import type { ObservedResource } from './observed-resource.ts';
import { type DecideContext, done, failed, type ResourceDecision, settled } from './resource-decision.ts';
import { sameContent } from './same-intent.ts';

/**
 * Brings an object to its manifest without server-side apply (`DISABLE_SSA`): by a JSON merge of the manifest into the
 * live object, without what the manifest had the last time. Who owns which field is of no meaning then.
 */
export function decideMerge(
  { manifest, merged, dryRun }: ObservedResource,
  live: Stored,
  context: DecideContext,
): ResourceDecision {
  if (merged === undefined || dryRun === undefined)
    return failed('NotObserved', 'the dry run is missing', context);
  if (!dryRun.ok) return failed('Refused', dryRun.status.message ?? 'rejected', context);
  const isInSync = sameContent(live, dryRun.object);
  if (!isInSync && context.applies === 0)
    return { reason: 'Merge', action: { type: 'replace', object: merged, live } };
  const applied = stringifyJson(fieldsOf(manifest.object).toJson());
  return done(isInSync ? 'InSync' : 'Applied', { ...settled(context), applied }, context);
}

/** What replaces `live`: all of it that the manifest neither has nor had, at the resourceVersion that was read. */
export function mergedWith(object: KubeObject, live: Stored, state: ManifestState): KubeObject {
  const dropped = [...storedPaths(object, readApplied(state)).recursiveDifference(fieldsOf(object)).paths()]
    .map(fieldsAlong)
    .filter((path) => getPath(object, path) === undefined && getPath(live, path) !== undefined);
  const patch = dropped.reduce<JsonObject>(withNull, object);
  const { managedFields: _fields, ...metadata } = live.metadata;
  const merged = applyMergePatch({ ...live, metadata }, patch) as typeof live;
  return atVersion(merged, live);
}

/** The fields of a manifest without its identity; a list is one field, as JSON merge patches see it. */
function fieldsOf({ apiVersion: _version, kind: _kind, metadata, ...rest }: KubeObject): FieldSet {
  const { name: _name, namespace: _namespace, ...meta } = metadata;
  return FieldSet.of(...leavesOf({ ...rest, metadata: meta }, []));
}

function leavesOf(value: Json | undefined, path: Path): readonly Path[] {
  if (value === undefined) return [];
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([name, child]) => leavesOf(child, [...path, `f:${name}`]));
}

/** An apply before may have recorded items of lists: then the whole list goes. */
function fieldsAlong(path: Path): Path {
  const end = path.findIndex((element) => !element.startsWith('f:'));
  return end < 0 ? path : path.slice(0, end);
}

function withNull(patch: JsonObject, [element = '', ...rest]: Path): JsonObject {
  const name = element.slice(2);
  const child = getOwn(patch, name);
  const made: Record<string, Json> = { ...patch };
  setOwn(made, name, rest.length === 0 ? null : withNull(isJsonObject(child) ? child : {}, rest));
  return made;
}
