import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type Named,
  setOwn,
  type Stored,
} from '@kubewright/kube';
import { formatPath, type Path } from '@kubewright/kube/fields';
import type { ContestedField, DesiredManifest, RivalManifest } from '../read-manifest.ts';

/**
 * What is applied of an object that other Compositions have too: the fields of all manifests. All apply the same, because
 * an apply removes what the same field manager applied before. Of different values that of the first Composition counts;
 * they are listed as `contested`. `rivals` are in the order in which they count.
 */
export function sharedManifest(manifest: DesiredManifest, rivals: readonly RivalManifest[]): DesiredManifest {
  if (rivals.length === 0) return manifest;
  return {
    ...manifest,
    overridden(live) {
      const own = overriddenBy(manifest, live);
      const others = rivals.map((rival) => ({ ...rival, object: overriddenBy(rival.manifest, live).object }));
      const first = others.filter(({ isFirst }) => isFirst);
      const later = others.filter(({ isFirst }) => !isFirst);
      const objects = [...first, own, ...later].map(({ object }) => object);
      const contested = others.flatMap((rival) => contestedWith(own.object, rival));
      return { ...own, object: united(objects), contested };
    },
  };
}

function overriddenBy(manifest: DesiredManifest, live: Stored | undefined): DesiredManifest {
  return manifest.overridden?.(live) ?? manifest;
}

/** The fields of different versions of a kind cannot be mixed. */
function united([first, ...others]: readonly Named[]): Named {
  if (first === undefined) throw new RangeError('an object has no manifest');
  const same = others.filter(({ apiVersion }) => apiVersion === first.apiVersion);
  return same.reduce<JsonObject>((all, object) => merged(all, object), first) as Named;
}

/** All keys of both; where both have one, the value of `first` unless both are maps. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const made: Record<string, Json> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = getOwn(first, key);
    if (before === undefined) setOwn(made, key, value);
    else if (isJsonObject(before) && isJsonObject(value)) setOwn(made, key, merged(before, value));
  }
  return made;
}

function contestedWith(
  own: Named,
  { holder, isFirst, object }: RivalManifest & { readonly object: Named },
): readonly ContestedField[] {
  const paths = own.apiVersion === object.apiVersion ? differences(own, object, []) : [['f:apiVersion']];
  return paths.map((path) => ({ path: formatPath(path), holder, isLost: isFirst }));
}

/** Where both have a value, and not the same. */
function differences(own: JsonObject, other: JsonObject, path: Path): readonly Path[] {
  return Object.entries(own).flatMap(([key, value]) => {
    const theirs = getOwn(other, key);
    if (value === undefined || theirs === undefined || jsonEqual(value, theirs)) return [];
    const here = [...path, `f:${key}`];
    return isJsonObject(value) && isJsonObject(theirs) ? differences(value, theirs, here) : [here];
  });
}
