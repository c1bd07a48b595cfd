import type { JsonObject, Named } from '@kubewright/kube';
import { namedObject } from './named-object.ts';
import { retarget } from './retarget.ts';

export type RestoreNamespaces = { readonly from: string; readonly to: string };

/** A captured object as it is to be created; undefined where it is none. */
export function retargeted(captured: JsonObject, { from, to }: RestoreNamespaces): Named | undefined {
  const named = namedObject(captured);
  return named && retarget(named, from, to);
}
