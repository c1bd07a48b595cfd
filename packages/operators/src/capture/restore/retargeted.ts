import type { JsonObject, Named } from '@kubewright/kube';
import { type ClaimSources, sizedFor, sourceOf } from './claim-source.ts';
import { namedObject } from './named-object.ts';
import type { RestoreProfiles } from './restore-profiles.ts';
import { reclassed } from './reclassed.ts';
import { retarget } from './retarget.ts';

/** From which namespace to which; the default profiles are the built-in ones. */
export type RestoreTarget = {
  readonly from: string;
  readonly to: string;
  readonly profiles?: RestoreProfiles;
  /** StorageClasses that take the place of others, by the names of those. */
  readonly storageClasses?: ReadonlyMap<string, string>;
  readonly snapshots?: ClaimSources;
};

/** A captured object as it is to be created; undefined where it is none. */
export function retargeted(
  captured: JsonObject,
  { from, to, profiles, storageClasses, snapshots }: RestoreTarget,
): Named | undefined {
  const named = namedObject(captured);
  if (named === undefined) return undefined;
  const moved = retarget(named, from, to, profiles);
  const classed =
    storageClasses === undefined ? moved : (namedObject(reclassed(moved, storageClasses)) ?? moved);
  const source = sourceOf(classed, snapshots);
  return source === undefined ? classed : sizedFor(classed, source);
}
