import { getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { applyMergePatch } from '@kubewright/kube/patch';
import { namedObject } from './named-object.ts';
import { renameNamespace } from './rename-namespace.ts';
import type { RestoreProfile } from './restore-profile.ts';
import { BUILT_IN_PROFILES, profileOf, type RestoreProfiles } from './restore-profiles.ts';
import { sanitise } from './sanitise.ts';

/** A captured object as it is to be created in a namespace, see {@link sanitise}. */
export function retarget(
  object: Named,
  from: string,
  to: string,
  profiles: RestoreProfiles = BUILT_IN_PROFILES,
): Named {
  const clean = namedObject(sanitise(object)) ?? object;
  if (clean.apiVersion === 'v1' && clean.kind === 'Namespace') return retargetNamespace(clean, to);
  const { namespace, ...metadata } = clean.metadata;
  const moved = { ...clean, metadata: namespace === undefined ? metadata : { ...metadata, namespace: to } };
  if (from === to) return moved;
  const named = renameNamespace(moved, { from, to });
  const profile = profileOf(profiles, named);
  return profile === undefined ? named : (namedObject(copied(named, profile, from, to)) ?? named);
}

const OWN_NAME = 'kubernetes.io/metadata.name';

/** The API server sets the label with the name itself. */
function retargetNamespace(namespace: Named, to: string): Named {
  const { labels = {}, ...metadata } = namespace.metadata;
  const { [OWN_NAME]: _own, ...others } = labels;
  return { ...namespace, metadata: { ...metadata, name: to, labels: { ...others, [OWN_NAME]: to } } };
}

/** A copy beside the original acts in its own namespace, if at all. */
function copied(
  object: Named,
  { namespaces = [], inCopy }: RestoreProfile,
  from: string,
  to: string,
): JsonObject {
  let moved: JsonObject = object;
  for (const path of namespaces) moved = renamed(moved, path.split('.'), from, to);
  const patched = inCopy === undefined ? moved : applyMergePatch(moved, inCopy);
  return isJsonObject(patched) ? patched : moved;
}

/** The object with `to` in place of `from` at the path, if it is there. */
function renamed(
  object: JsonObject,
  [key = '', ...rest]: readonly string[],
  from: string,
  to: string,
): JsonObject {
  const value = getOwn(object, key);
  if (rest.length === 0) return value === from ? { ...object, [key]: to } : object;
  return isJsonObject(value) ? { ...object, [key]: renamed(value, rest, from, to) } : object;
}
