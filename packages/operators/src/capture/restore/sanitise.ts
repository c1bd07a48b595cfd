import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../api/annotations.ts';
import { choseFamilies } from './chose-families.ts';
import { withoutTokenSecrets } from './default-account.ts';
import { textIn } from './text-in.ts';
import { withoutKeys } from './without-keys.ts';

/** Set by the API server: they have no meaning in another object. */
const SERVER_METADATA = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'ownerReferences',
  'selfLink',
  'generateName',
];

/** Written by controllers and by kubectl about this one object. */
const LOCAL_ANNOTATIONS = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.kubernetes.io/selected-node',
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  // Of the request that restored this claim.
  ANNOTATIONS.restoreUid,
  // What `drift` has recorded; what people have decided (freeze, snooze, mode, approvals) stays.
  'kausality.io/trace',
  'kausality.io/updaters',
  'kausality.io/controllers',
  'kausality.io/observedGeneration',
  'kausality.io/phase',
  'kausality.io/settled',
  'kausality.io/touched',
  'kausality.io/revision',
  'kausality.io/usedApprovals',
  // What a migration has written on a pod.
  'migration.ms2m.io/epoch',
  'migration.ms2m.io/named-after',
  'migration.ms2m.io/deletion-cost',
];

/** On a pod, a lock of a migration that is not restored. */
const LOCAL_LABELS = ['migration.ms2m.io/migration', 'migration.ms2m.io/role'];

/** Their controllers add them again where they run. Where they do not, nobody removes them. */
const LOCAL_FINALIZERS: readonly Json[] = [
  'kubernetes.io/pvc-protection',
  'snapshot.storage.kubernetes.io/pvc-as-source-protection',
  'service.kubernetes.io/load-balancer-cleanup',
  'batch.kubernetes.io/job-tracking',
  'foregroundDeletion',
  'orphan',
  'migration.ms2m.io/name',
  'migration.ms2m.io/handover',
];

/** Labels by which a Job finds its pods; the API server generates them from its uid. */
const JOB_LABELS = [
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'batch.kubernetes.io/job-name',
];

/** All their finalizers are of controllers that add them to each that they see. */
const CONTROLLERS_FINALIZERS: ReadonlySet<string> = new Set(['v1/PersistentVolumeClaim', 'v1/Service']);

type Change = (spec: JsonObject, object: JsonObject) => JsonObject;

const byKind: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['v1/PersistentVolumeClaim', (spec) => withoutKeys(spec, ['volumeName', 'dataSource', 'dataSourceRef'])],
  ['v1/Service', withoutAddresses],
  ['v1/Pod', withoutNode],
  ['v1/Namespace', (spec) => withoutKeys(spec, ['finalizers'])],
  ['batch/v1/Job', withoutPodLabels],
]);

/**
 * An object as its author could have written it: without what the API server, controllers and kubectl have set, so that
 * it can be created in any namespace of any cluster. Everything else is unchanged.
 */
export function sanitise(object: JsonObject): JsonObject {
  const { status: _status, metadata, spec, ...rest } = withoutTokenSecrets(object);
  const type = typeOf(object);
  return {
    ...rest,
    ...(metadata === undefined
      ? {}
      : { metadata: isJsonObject(metadata) ? sanitisedMetadata(metadata, object) : metadata }),
    ...specOf(spec, object, byKind.get(type)),
  };
}

function typeOf(object: JsonObject): string {
  return `${textIn(object, 'apiVersion')}/${textIn(object, 'kind')}`;
}

/** Finalizers that {@link sanitise} leaves out although the controllers of Kubernetes do not know them. */
export function foreignFinalizers(object: JsonObject): readonly string[] {
  const { metadata } = object;
  const finalizers = isJsonObject(metadata) ? getOwn(metadata, 'finalizers') : undefined;
  if (!isJsonArray(finalizers) || !CONTROLLERS_FINALIZERS.has(typeOf(object))) return [];
  return finalizers.flatMap((name) =>
    typeof name !== 'string' || LOCAL_FINALIZERS.includes(name) ? [] : [name],
  );
}

function specOf(spec: Json | undefined, object: JsonObject, change: Change | undefined): JsonObject {
  if (spec === undefined) return {};
  if (change === undefined || !isJsonObject(spec)) return { spec };
  const changed = change(spec, object);
  return Object.keys(changed).length === 0 ? {} : { spec: changed };
}

function sanitisedMetadata(all: JsonObject, object: JsonObject): JsonObject {
  const type = typeOf(object);
  const metadata = type === 'batch/v1/Job' ? withoutJobLabels(all, object) : all;
  const server = CONTROLLERS_FINALIZERS.has(type) ? [...SERVER_METADATA, 'finalizers'] : SERVER_METADATA;
  const kept = withFinalizers(withoutKeys(metadata, server));
  return withoutEntries(withoutEntries(kept, 'labels', LOCAL_LABELS), 'annotations', LOCAL_ANNOTATIONS);
}

/** Without these labels or annotations, and without the field where there are no others. */
function withoutEntries(metadata: JsonObject, field: string, keys: readonly string[]): JsonObject {
  const entries = getOwn(metadata, field);
  if (!isJsonObject(entries)) return metadata;
  const own = withoutKeys(entries, keys);
  return Object.keys(own).length === 0 ? withoutKeys(metadata, [field]) : { ...metadata, [field]: own };
}

function withFinalizers(metadata: JsonObject): JsonObject {
  const { finalizers, ...kept } = metadata;
  if (!isJsonArray(finalizers)) return metadata;
  const others = finalizers.filter((name) => !LOCAL_FINALIZERS.includes(name));
  return others.length === 0 ? kept : { ...kept, finalizers: others };
}

/** A headless Service stays one, and address families that somebody chose stay. */
function withoutAddresses(spec: JsonObject, object: JsonObject): JsonObject {
  const isHeadless = getOwn(spec, 'clusterIP') === 'None';
  const kept = withoutKeys(spec, [
    'clusterIPs',
    'healthCheckNodePort',
    ...(choseFamilies(object) ? [] : ['ipFamilies', 'ipFamilyPolicy']),
    ...(isHeadless ? [] : ['clusterIP']),
  ]);
  const ports = getOwn(kept, 'ports');
  if (!isJsonArray(ports)) return kept;
  return {
    ...kept,
    ports: ports.map((port) => (isJsonObject(port) ? withoutKeys(port, ['nodePort']) : port)),
  };
}

/** The volume of the service account's token, which admission adds to each pod. */
const TOKEN_VOLUME = /^kube-api-access-/;

/** Admission computes the priority from the class; an ephemeral container is never part of a new pod. */
function withoutNode(spec: JsonObject): JsonObject {
  const kept = withoutKeys(spec, ['nodeName', 'priority', 'preemptionPolicy', 'ephemeralContainers']);
  const containers = ['containers', 'initContainers'];
  return Object.fromEntries(
    Object.entries(kept).map(([key, value]) => {
      if (key === 'volumes') return [key, withoutTokens(value)];
      return [key, containers.includes(key) ? withoutTokenMounts(value) : value];
    }),
  );
}

function withoutTokenMounts(containers: Json): Json {
  if (!isJsonArray(containers)) return containers;
  return containers.map((container) => {
    if (!isJsonObject(container) || !Object.hasOwn(container, 'volumeMounts')) return container;
    return { ...container, volumeMounts: withoutTokens(container['volumeMounts'] ?? null) };
  });
}

function withoutTokens(named: Json): Json {
  if (!isJsonArray(named)) return named;
  return named.filter((one) => !(isJsonObject(one) && TOKEN_VOLUME.test(textIn(one, 'name'))));
}

/** A Job without labels has those of its pods since the server first read it. */
function withoutJobLabels(metadata: JsonObject, { spec }: JsonObject): JsonObject {
  const labels = getOwn(metadata, 'labels');
  const isManual = isJsonObject(spec) && getOwn(spec, 'manualSelector') === true;
  return isManual || !isJsonObject(labels)
    ? metadata
    : { ...metadata, labels: withoutKeys(labels, JOB_LABELS) };
}

function withoutPodLabels(spec: JsonObject): JsonObject {
  if (getOwn(spec, 'manualSelector') === true) return spec;
  const { template, ...kept } = withoutKeys(spec, ['selector']);
  const metadata = isJsonObject(template) ? getOwn(template, 'metadata') : undefined;
  const labels = isJsonObject(metadata) ? getOwn(metadata, 'labels') : undefined;
  if (!isJsonObject(template) || !isJsonObject(metadata) || !isJsonObject(labels))
    return template === undefined ? kept : { ...kept, template };
  return {
    ...kept,
    template: { ...template, metadata: { ...metadata, labels: withoutKeys(labels, JOB_LABELS) } },
  };
}
