import type { JsonObject, Named } from '@kubewright/kube';
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
  /** Snapshots with the data of claims, by the names of those. */
  readonly snapshots?: ReadonlyMap<string, string>;
};

/** A captured object as it is to be created; undefined where it is none. */
export function retargeted(
  captured: JsonObject,
  { from, to, profiles, storageClasses }: RestoreTarget,
): Named | undefined {
  const named = namedObject(captured);
  if (named === undefined) return undefined;
  const moved = retarget(named, from, to, profiles);
  return storageClasses === undefined ? moved : (namedObject(reclassed(moved, storageClasses)) ?? moved);
}
