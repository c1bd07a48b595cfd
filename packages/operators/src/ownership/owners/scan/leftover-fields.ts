import { isJsonArray, isJsonObject, type Json, type JsonObject, type Stored } from '@kubewright/kube';
import { field, FieldSet, getPath, key, type Path, parsePathElement } from '@kubewright/kube/fields';
import { type Claim, describeOwner } from '../../read-managed-fields.ts';

/** A field that no applier has: its owners, for people; none where nobody owns it. */
export type LeftoverField = { readonly path: Path; readonly owners: readonly string[] };

/** Maps whose keys neither the server nor, as a rule, a controller fills in. */
const DATA: readonly Path[] = ['data', 'binaryData'].map((name) => [field(name)]);
/** Maps that others add to on purpose: only what nobody owns is left over. */
const MARKS: readonly Path[] = ['labels', 'annotations'].map((name) => [field('metadata'), field(name)]);
/** The server and its controllers set these without an owner. */
const OF_SERVER = /(?:^f:|\.)(?:kubernetes|k8s)\.io\//;

/**
 * The items of lists and the keys of maps of an applied object that no manager applies, beside others that one does: whoever
 * applied one has left it out while somebody else owned it too, so that it stayed, and no apply removes it any more.
 * Single fields are none: the server fills in defaults, which nobody owns either.
 */
export function leftoverFields(object: Stored, claims: readonly Claim[]): readonly LeftoverField[] {
  const appliers = claims.filter(({ owner }) => owner.operation === 'Apply' && owner.subresource === '');
  if (appliers.length === 0) return [];
  const applied = appliers.reduce((all, { set }) => all.union(set), FieldSet.EMPTY);
  const elements = [
    ...listsIn(applied).flatMap((list) => itemsOf(object, list)),
    ...DATA.filter((map) => isBegun(applied, map)).flatMap((map) => keysOf(object, map)),
  ].filter((path) => !isMentioned(applied, path));
  const marks = MARKS.flatMap((map) => keysOf(object, map)).filter(
    (path) => !OF_SERVER.test(path.at(-1) ?? '') && ownersOf(path, claims).length === 0,
  );
  return [...elements, ...marks]
    .map((path) => ({ path, owners: ownersOf(path, claims) }))
    .filter(({ owners }) => !owners.some((owner) => REMOVING.has(owner)));
}

/** These update, and remove by themselves what they no longer have. */
const REMOVING = new Set(
  [
    'helm',
    'helm-controller',
    'kubectl-client-side-apply',
    'argocd-controller',
    'kube-controller-manager',
  ].map((manager) => `${manager} (Update)`),
);

/** A path as a pattern that names it, whatever characters its names have. */
export function namedPath(path: Path): string {
  return path
    .map((element) => {
      const parsed = parsePathElement(element);
      switch (parsed.type) {
        case 'field':
          return named(parsed.name);
        case 'key':
          return `[${keysText(parsed.keys)}]`;
        case 'value':
          return `[=${JSON.stringify(parsed.value)}]`;
        case 'index':
          return `[${parsed.index}]`;
      }
    })
    .join('')
    .replace(/^\./, '');
}

function keysText(keys: JsonObject): string {
  const texts = Object.entries(keys).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return texts.join(',');
}

function named(name: string): string {
  return /^[\w-]+$/.test(name) ? `.${name}` : `['${name.replaceAll(/[\\']/g, '\\$&')}']`;
}

type List = { readonly path: Path; readonly keys: readonly string[] };

/** The associative lists of which a set has items with keys. Finalizers and owner references are nobody's to apply. */
function listsIn(set: FieldSet): readonly List[] {
  const lists = new Map<string, List>();
  for (const path of set.paths())
    for (const [index, element] of path.entries()) {
      if (!element.startsWith('k:') || path[0] === 'f:metadata' || path[0] === 'f:status') continue;
      const parsed = parsePathElement(element);
      const list = path.slice(0, index);
      if (parsed.type === 'key')
        lists.set(JSON.stringify(list), { path: list, keys: Object.keys(parsed.keys) });
    }
  return [...lists.values()];
}

function itemsOf(object: Stored, { path, keys }: List): readonly Path[] {
  const items = getPath(object, path);
  return (isJsonArray(items) ? items : []).flatMap((item) => {
    if (!isJsonObject(item) || !keys.every((name) => item[name] !== undefined)) return [];
    return [[...path, key(Object.fromEntries(keys.map((name) => [name, item[name] as Json])))]];
  });
}

function keysOf(object: Stored, path: Path): readonly Path[] {
  const map = getPath(object, path);
  return isJsonObject(map)
    ? Object.keys(map)
        .toSorted()
        .map((name) => [...path, field(name)])
    : [];
}

/** Whether it has something in a map; a map that is owned as a whole has no keys of its own. */
function isBegun(set: FieldSet, map: Path): boolean {
  return !set.at(map).isEmpty;
}

function isMentioned(set: FieldSet, path: Path): boolean {
  return set.has(path) || !set.at(path).isEmpty;
}

function ownersOf(path: Path, claims: readonly Claim[]): readonly string[] {
  return claims.filter(({ set }) => isMentioned(set, path)).map(({ owner }) => describeOwner(owner));
}
