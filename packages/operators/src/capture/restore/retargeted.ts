import type { JsonObject, Named } from '@kubewright/kube';
import { namedObject } from './named-object.ts';
import type { RestoreProfiles } from './restore-profiles.ts';
import { retarget } from './retarget.ts';

/** From which namespace to which; the default profiles are the built-in ones. */
export type RestoreTarget = {
  readonly from: string;
  readonly to: string;
  readonly profiles?: RestoreProfiles;
};

/** A captured object as it is to be created; undefined where it is none. */
export function retargeted(captured: JsonObject, { from, to, profiles }: RestoreTarget): Named | undefined {
  const named = namedObject(captured);
  return named && retarget(named, from, to, profiles);
}
