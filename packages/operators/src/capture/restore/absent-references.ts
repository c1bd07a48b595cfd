import { ApiError, type Client, type ResourceRef } from '@kubewright/client';
import { isJsonArray, isJsonObject, type Json, type KubeObject, type Named } from '@kubewright/kube';
import { textIn } from './text-in.ts';

/** The names of the objects of a cluster-scoped kind; undefined where nobody knows. */
export type KnownNames = (ref: ResourceRef) => Promise<ReadonlySet<string> | undefined>;

/** Reads each kind once, when it is first asked for. Not everybody may list them, and not every cluster has them. */
export function knownNames(client: Client): KnownNames {
  const lists = new Map<string, ReturnType<KnownNames>>();
  const read = async (ref: ResourceRef): ReturnType<KnownNames> => {
    try {
      const { items } = await client.list<KubeObject>(ref);
      return new Set(items.map(({ metadata }) => metadata.name));
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
      throw error;
    }
  };
  return (ref) => {
    const list = lists.get(ref.kind) ?? read(ref);
    lists.set(ref.kind, list);
    return list;
  };
}

function ofCluster(group: string, kind: string, resource: string): ResourceRef {
  return { group, version: 'v1', kind, resource, namespaced: false };
}

/** Fields of any object that name an object of the cluster, which a capture of a namespace does not have. */
const BY_FIELD: ReadonlyMap<string, ResourceRef> = new Map([
  ['storageClassName', ofCluster('storage.k8s.io', 'StorageClass', 'storageclasses')],
  ['priorityClassName', ofCluster('scheduling.k8s.io', 'PriorityClass', 'priorityclasses')],
  ['ingressClassName', ofCluster('networking.k8s.io', 'IngressClass', 'ingressclasses')],
  ['runtimeClassName', ofCluster('node.k8s.io', 'RuntimeClass', 'runtimeclasses')],
  ['gatewayClassName', ofCluster('gateway.networking.k8s.io', 'GatewayClass', 'gatewayclasses')],
]);
/** Kinds of the cluster in references with `kind` and `name`, as of a RoleBinding to its role. */
const BY_KIND: ReadonlyMap<string, ResourceRef> = new Map([
  ['ClusterRole', ofCluster('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles')],
  ['ClusterIssuer', ofCluster('cert-manager.io', 'ClusterIssuer', 'clusterissuers')],
  ['ClusterSecretStore', ofCluster('external-secrets.io', 'ClusterSecretStore', 'clustersecretstores')],
]);

/** What users write into these is data: nothing of it names an object. */
const DATA: ReadonlySet<string> = new Set(['v1/ConfigMap', 'v1/Secret']);

/** What a plan says of objects of the cluster that an object needs, and that are not there. */
export async function absentReferences(object: Named, known: KnownNames): Promise<readonly string[]> {
  if (DATA.has(`${object.apiVersion}/${object.kind}`)) return [];
  const notes = new Set<string>();
  const { metadata: _metadata, apiVersion: _version, kind: _kind, ...fields } = object;
  for (const [ref, name] of referencesIn(fields)) {
    const names = await known(ref);
    if (names === undefined || names.has(name)) continue;
    const way = ref.kind === 'StorageClass' ? `: --storage-class ${name}=OTHER names another one` : '';
    notes.add(`there is no ${ref.kind} ${name}${way}`);
  }
  return [...notes];
}

type Reference = readonly [ResourceRef, string];

function referencesIn(value: Json): readonly Reference[] {
  if (isJsonArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const own = BY_KIND.get(textIn(value, 'kind'));
  const inFields = Object.entries(value).flatMap(([key, field]) => {
    const ref = typeof field === 'string' && field !== '' ? BY_FIELD.get(key) : undefined;
    return ref === undefined ? referencesIn(field) : [[ref, field as string] as const];
  });
  return own === undefined ? inFields : [...inFields, [own, textIn(value, 'name')]];
}
