import type { Client, ResourceRef } from '@kubewright/client';
import type { WorldFault } from '@kubewright/cluster';
import {
  appsv1,
  autoscalingv2,
  batchv1,
  compareText,
  controllerOf,
  corev1,
  discoveryv1,
  isJsonObject,
  type Json,
  type KubeObject,
  policyv1,
} from '@kubewright/kube';

/** Not volumes: whether one was ever attached, of a claim that no pod uses any more, is a matter of time. */
const KINDS: readonly ResourceRef[] = [
  appsv1.deployments,
  appsv1.replicasets,
  appsv1.statefulsets,
  appsv1.daemonsets,
  appsv1.controllerrevisions,
  autoscalingv2.horizontalpodautoscalers,
  batchv1.cronjobs,
  batchv1.jobs,
  corev1.namespaces,
  corev1.nodes,
  corev1.pods,
  corev1.services,
  corev1.endpoints,
  corev1.serviceaccounts,
  corev1.configmaps,
  corev1.persistentvolumeclaims,
  corev1.resourcequotas,
  discoveryv1.endpointslices,
  policyv1.poddisruptionbudgets,
];

/** What chance and time decide: names that a server draws, who got which address, which write came first. */
const DRAWN = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'managedFields',
  'nodeName',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'clusterIP',
  'clusterIPs',
  'containerID',
  'podCIDR',
  'podCIDRs',
  'volumeName',
  'volumeHandle',
  'volumesAttached',
  'volumesInUse',
  'addresses',
  'targetRef',
]);
const TIMES = /(?:Timestamp|Time|At)$/;
const DRAWN_LABELS = new Set(['batch.kubernetes.io/controller-uid', 'controller-uid']);
const DRAWN_ANNOTATIONS = /^(?:endpoints\.kubernetes\.io\/last-change|volume\.kubernetes\.io\/selected-node)/;
const WANTED_ANNOTATIONS = /^deployment\.kubernetes\.io\/(?:desired|max)-replicas$/;

/** That the binder chose the volume, the annotation alone tells: where a webhook takes it away, nobody knows again. */
const WHO_BOUND = 'pv.kubernetes.io/bound-by-controller';

/** The binder asks whether it is there, whatever it says: a webhook may have changed it. */
const BOUND = 'pv.kubernetes.io/bind-completed';

/** All that is there in the end, without what chance, time and `faults` decide: one line for each object. */
export async function endStateOf(client: Client, faults: readonly WorldFault[]): Promise<readonly string[]> {
  const isHostile = faults.some(({ type }) => type === 'hostile');
  const all = await Promise.all(KINDS.map((ref) => client.list(ref)));
  const lists = isHostile ? all.map(({ items }) => ({ items: inNamespaces(items, all) })) : all;
  const rename = renaming(lists.flatMap(({ items }) => items));
  const lineFor = (kind: string, item: KubeObject): string =>
    lineOf(kind, isHostile ? withoutBinding(item) : item, rename);
  return lists
    .flatMap(({ items }, index) => ranked(items).map((item) => lineFor(KINDS[index]?.kind ?? '', item)))
    .toSorted();
}

/**
 * The objects whose namespaces exist. A namespace is looked for before webhooks are called, so what a slow webhook admits
 * is stored although the namespace has gone meanwhile, in Kubernetes too.
 */
function inNamespaces(items: readonly KubeObject[], all: readonly Items[]): readonly KubeObject[] {
  const namespaces = all[KINDS.indexOf(corev1.namespaces)]?.items.map(({ metadata }) => metadata.name) ?? [];
  const known = new Set(namespaces);
  return items.filter(({ metadata: { namespace } }) => namespace === undefined || known.has(namespace));
}

type Items = { readonly items: readonly KubeObject[] };

/**
 * ControllerRevisions by their order: a controller that restarts from a stale read takes that for a rollback, and
 * numbers two revisions anew, in Kubernetes too.
 */
function ranked(items: readonly KubeObject[]): readonly KubeObject[] {
  const numberOf = ({ revision }: KubeObject): number => Number(revision);
  return items.map((item) => {
    if (item['revision'] === undefined) return item;
    const owner = controllerOf(item)?.uid;
    const before = items.filter((one) => controllerOf(one)?.uid === owner && numberOf(one) < numberOf(item));
    return { ...item, revision: before.length + 1 };
  });
}

function withoutBinding(object: KubeObject): KubeObject {
  const { [WHO_BOUND]: _, ...annotations } = object.metadata.annotations ?? {};
  const bound = annotations[BOUND] === undefined ? {} : { [BOUND]: 'yes' };
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...bound } } };
}

type Rename = (text: string) => string;

/** Names that were drawn, wherever they stand, as if all had drawn the same. */
function renaming(objects: readonly KubeObject[]): Rename {
  const drawn = new Map(
    objects.flatMap(({ metadata: { name = '', generateName, ownerReferences, uid = '' } }) => {
      const isNumbered = ownerReferences?.[0]?.kind === 'StatefulSet';
      if (generateName !== undefined && !isNumbered) return [[name, `${generateName}*`]];
      return [[uid, '*']];
    }),
  );
  const any = new RegExp([...drawn.keys()].join('|'), 'g');
  return (text) => text.replaceAll(any, (name) => drawn.get(name) ?? name);
}

function lineOf(kind: string, { metadata, ...rest }: KubeObject, rename: Rename): string {
  const { annotations = {} } = metadata;
  const shown = {
    ...metadata,
    annotations: isIdle(kind, rest['spec']) ? withoutWanted(annotations) : annotations,
  };
  return `${kind} ${JSON.stringify(settle({ metadata: shown, ...withoutDone(kind, rest) }, rename))}`;
}

/**
 * Which ReplicaSet the rollout was of that is said to be done. With `Recreate`, one whose begin could not be recorded (a conflict)
 * counts as the one before, which was done: there are never pods of two. In Kubernetes too.
 */
function withoutDone(kind: string, rest: Omit<KubeObject, 'metadata'>): Omit<KubeObject, 'metadata'> {
  const { spec, status } = rest as Partial<appsv1.Deployment>;
  if (kind !== 'Deployment' || spec?.strategy?.type !== 'Recreate') return rest;
  const conditions = (status?.conditions ?? []).map((one) =>
    one.reason === 'NewReplicaSetAvailable' ? { ...one, message: '' } : one,
  );
  return { ...rest, status: { ...status, conditions } };
}

/** How many pods a Deployment wanted when it scaled a ReplicaSet to none is a matter of time. */
function isIdle(kind: string, spec: Json | undefined): boolean {
  return kind === 'ReplicaSet' && isJsonObject(spec) && spec['replicas'] === 0;
}

function withoutWanted(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !WANTED_ANNOTATIONS.test(key)));
}

function settle(value: Json, rename: Rename): Json {
  if (Array.isArray(value)) return value.map((one) => settle(one, rename)).toSorted(byText);
  if (typeof value === 'string') return rename(value);
  if (!isJsonObject(value)) return value;
  const settled = Object.entries(value)
    .filter(([key]) => !isDrawn(key))
    .map(([key, inner]) => [key, settle(inner, rename)] as const)
    .filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(settled.toSorted(([a], [b]) => byText(a, b)));
}

function isDrawn(key: string): boolean {
  return DRAWN.has(key) || TIMES.test(key) || DRAWN_LABELS.has(key) || DRAWN_ANNOTATIONS.test(key);
}

/** What holds nothing but what is drawn is as if it were not there. */
function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Conditions and the like come in the order in which they were first written. */
function byText(a: Json, b: Json): number {
  return compareText(JSON.stringify(a), JSON.stringify(b));
}
