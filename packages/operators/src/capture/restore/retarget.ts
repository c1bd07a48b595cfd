import { getOwn, isJsonArray, isJsonObject, type Json, type Named } from '@kubewright/kube';
import { sanitise } from './sanitise.ts';
import { namedObject } from './named-object.ts';

/** A captured object as it is to be created in a namespace, see {@link sanitise}. */
export function retarget(object: Named, from: string, to: string): Named {
  const clean = namedObject(sanitise(object)) ?? object;
  if (clean.apiVersion === 'v1' && clean.kind === 'Namespace') return retargetNamespace(clean, to);
  const { namespace, ...metadata } = clean.metadata;
  const moved = { ...clean, metadata: namespace === undefined ? metadata : { ...metadata, namespace: to } };
  const subjects = getOwn(moved, 'subjects');
  if (clean.kind !== 'RoleBinding' || !isJsonArray(subjects)) return moved;
  return { ...moved, subjects: subjects.map((subject) => retargetSubject(subject, from, to)) };
}

const OWN_NAME = 'kubernetes.io/metadata.name';

/** The API server sets the label with the name itself. */
function retargetNamespace(namespace: Named, to: string): Named {
  const { labels = {}, ...metadata } = namespace.metadata;
  const { [OWN_NAME]: _own, ...others } = labels;
  return { ...namespace, metadata: { ...metadata, name: to, labels: { ...others, [OWN_NAME]: to } } };
}

/** Service accounts move along; users, groups and accounts of other namespaces stay. */
function retargetSubject(subject: Json, from: string, to: string): Json {
  const isOurs =
    isJsonObject(subject) && subject['kind'] === 'ServiceAccount' && subject['namespace'] === from;
  return isOurs ? { ...subject, namespace: to } : subject;
}
