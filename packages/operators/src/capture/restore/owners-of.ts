import { getOwn, isJsonArray, isJsonObject, type JsonObject, type OwnerReference } from '@kubewright/kube';
import { textIn } from './text-in.ts';

/** An owner by its name: its uid is another one after a restore. */
export type CapturedOwner = Omit<OwnerReference, 'uid'>;

/** The API server allows any number; more than these are not restored. */
const MAX_OWNERS = 16;

/** The owners of a captured object, which may be anything. */
export function ownersOf({ metadata }: JsonObject): readonly CapturedOwner[] {
  const owners = isJsonObject(metadata) ? getOwn(metadata, 'ownerReferences') : undefined;
  if (!isJsonArray(owners)) return [];
  return owners.slice(0, MAX_OWNERS).flatMap((owner) => {
    if (!isJsonObject(owner)) return [];
    const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => textIn(owner, key));
    if (!apiVersion || !kind || !name) return [];
    const flags = ['controller', 'blockOwnerDeletion'].filter((key) => getOwn(owner, key) === true);
    return [{ apiVersion, kind, name, ...Object.fromEntries(flags.map((flag) => [flag, true])) }];
  });
}
