import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
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
];

/** Labels by which a Job finds its pods; the API server generates them from its uid. */
const JOB_LABELS = [
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'batch.kubernetes.io/job-name',
];

type Change = (spec: JsonObject) => JsonObject;

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
  const { status: _status, metadata, spec, ...rest } = object;
  const change = byKind.get(`${textIn(object, 'apiVersion')}/${textIn(object, 'kind')}`);
  return {
    ...rest,
    ...(metadata === undefined
      ? {}
      : { metadata: isJsonObject(metadata) ? sanitisedMetadata(metadata) : metadata }),
    ...specOf(spec, change),
  };
}

function specOf(spec: Json | undefined, change: Change | undefined): JsonObject {
  if (spec === undefined) return {};
  if (change === undefined || !isJsonObject(spec)) return { spec };
  const changed = change(spec);
  return Object.keys(changed).length === 0 ? {} : { spec: changed };
}

function sanitisedMetadata(metadata: JsonObject): JsonObject {
  const { annotations, ...kept } = withoutKeys(metadata, SERVER_METADATA);
  if (!isJsonObject(annotations)) return annotations === undefined ? kept : { ...kept, annotations };
  const own = withoutKeys(annotations, LOCAL_ANNOTATIONS);
  return Object.keys(own).length === 0 ? kept : { ...kept, annotations: own };
}

/** A headless Service stays one. */
function withoutAddresses(spec: JsonObject): JsonObject {
  const isHeadless = getOwn(spec, 'clusterIP') === 'None';
  const kept = withoutKeys(spec, [
    'clusterIPs',
    'ipFamilies',
    'ipFamilyPolicy',
    'healthCheckNodePort',
    'loadBalancerIP',
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

function withoutNode(spec: JsonObject): JsonObject {
  const kept = withoutKeys(spec, ['nodeName']);
  const containers = ['containers', 'initContainers', 'ephemeralContainers'];
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
