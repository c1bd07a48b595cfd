import type { FieldSet } from '@kubewright/kube/fields';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  jsonEqual,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { parsePathElement, type PathElement } from '@kubewright/kube/fields';
import { decodeManagers } from '@kubewright/kube/merge';

/**
 * Whether applying `wanted` as `manager` would leave `live` unchanged: the manager owns exactly the fields of `wanted`,
 * and each has its value already. False when in doubt, as where a server normalises a value (`1000m` to `1`), and always
 * when `live` has no `managedFields`.
 */
export function appliedAlready(live: KubeObject, wanted: KubeObject, manager: string): boolean {
  const { apiVersion, kind, metadata, ...content } = wanted;
  if (apiVersion !== live.apiVersion || kind !== live.kind) return false;
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const written = Object.entries({ labels, annotations, ownerReferences, finalizers });
  const fields = Object.fromEntries(written.filter(([, value]) => value !== undefined)) as JsonObject;
  const claims = claimsOf(live, apiVersion, manager);
  const tree = Object.keys(fields).length === 0 ? content : { ...content, metadata: fields };
  return claims !== undefined && sameFields(claims, tree, live);
}

function claimsOf({ metadata }: KubeObject, apiVersion: string, manager: string): FieldSet | undefined {
  const entries = (metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && entry.apiVersion === apiVersion,
  );
  try {
    return [...decodeManagers(entries).values()].find(({ subresource }) => subresource === '')?.set;
  } catch {
    // Not valid fieldsV1: the server decides what an apply does to it.
    return undefined;
  }
}

function sameFields(claims: FieldSet, wanted: Json | undefined, live: Json | undefined): boolean {
  if (isJsonObject(wanted)) return isJsonObject(live) && sameObject(claims, wanted, live);
  if (isJsonArray(wanted)) return isJsonArray(live) && sameList(claims, wanted, live);
  return false;
}

function sameObject(claims: FieldSet, wanted: JsonObject, live: JsonObject): boolean {
  const names = Object.keys(wanted);
  return (
    stepsOf(claims).size === names.length &&
    names.every((name) => sameValue(claims, `f:${name}`, getOwn(wanted, name), getOwn(live, name)))
  );
}

/** Each owned item is wanted once, each wanted item is owned. */
function sameList(claims: FieldSet, wanted: readonly Json[], live: readonly Json[]): boolean {
  const steps = stepsOf(claims);
  return (
    steps.size === wanted.length &&
    [...steps].every((step) => {
      const [item, ...more] = wanted.filter((one) => isItem(one, step));
      const stored = live.find((one) => isItem(one, step));
      return more.length === 0 && item !== undefined && sameValue(claims, step, item, stored);
    })
  );
}

function sameValue(
  claims: FieldSet,
  step: PathElement,
  wanted: Json | undefined,
  live: Json | undefined,
): boolean {
  const below = claims.children.get(step);
  if (below !== undefined) return sameFields(below, wanted, live);
  return claims.members.has(step) && jsonEqual(wanted, live);
}

function isItem(item: Json, step: PathElement): boolean {
  const parsed = parsePathElement(step);
  if (parsed.type === 'value') return jsonEqual(item, parsed.value);
  if (parsed.type !== 'key' || !isJsonObject(item)) return false;
  // A key that has a default may be left out, as `protocol` of a port.
  return Object.entries(parsed.keys).every(([name, value]) => {
    const own = getOwn(item, name);
    return own === undefined || jsonEqual(own, value);
  });
}

function stepsOf({ members, children }: FieldSet): ReadonlySet<PathElement> {
  return new Set([...members, ...children.keys()]);
}
