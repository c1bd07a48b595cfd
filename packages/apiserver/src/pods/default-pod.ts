import { type JsonObject, getOwn } from '@kubewright/kube';
import { has, isTrue, maybeObject, numberAt, objectAt, stringAt } from '../objects/read.ts';
import {
  type Change,
  inField,
  inItems,
  inOrder,
  orDefault,
  orDefaultPointer,
  when,
  withField,
} from '../objects/change-object.ts';
import { defaultContainer, roundAmounts, roundResources } from './default-container.ts';
import { defaultPodResources } from './default-pod-resources.ts';
import { defaultVolume } from './default-volume.ts';

/** `SetObjectDefaults_PodTemplate`'s part of a spec: what every template and every pod gets. */
const defaultPodSpec: Change = inOrder(
  (spec) => orDefault(spec, 'dnsPolicy', 'ClusterFirst'),
  (spec) => orDefault(spec, 'restartPolicy', 'Always'),
  (spec) => orDefaultPointer(spec, 'securityContext', {}),
  (spec) => orDefaultPointer(spec, 'terminationGracePeriodSeconds', 30),
  (spec) => orDefault(spec, 'schedulerName', 'default-scheduler'),
  inItems('volumes', defaultVolume),
  inItems('initContainers', defaultContainer),
  inItems('containers', defaultContainer),
  inItems('ephemeralContainers', defaultContainer),
  inField('overhead', roundAmounts),
  inField('resources', roundResources),
  mirrorServiceAccount,
);

/** A workload's `spec.template`. */
export const defaultTemplate: Change = inOrder(
  inField('metadata', dropInitContainerAnnotations),
  (template) => withField(template, 'spec', defaultPodSpec(objectAt(template, 'spec'))),
);

/** What a pod gets beyond its template: requests follow limits, service links are on. */
export const defaultPod: Change = inOrder(
  inField('metadata', dropInitContainerAnnotations),
  inField(
    'spec',
    inOrder(
      inItems('containers', inField('resources', requestsFromLimits)),
      inItems('initContainers', inField('resources', requestsFromLimits)),
      defaultPodResources,
      (spec) => orDefaultPointer(spec, 'enableServiceLinks', true),
      when((spec) => isTrue(spec, 'hostNetwork'), hostNetworkPorts),
      (spec) => (numberAt(spec, 'terminationGracePeriodSeconds') < 0 ? graceOfOne(spec) : spec),
      defaultPodSpec,
    ),
  ),
);

function graceOfOne(spec: JsonObject): JsonObject {
  return withField(spec, 'terminationGracePeriodSeconds', 1);
}

/** On the host's network a container port is a host port. Templates wait for their pods with this. */
function hostNetworkPorts(spec: JsonObject): JsonObject {
  const port: Change = (entry) =>
    numberAt(entry, 'containerPort') === 0
      ? entry
      : orDefault(entry, 'hostPort', getOwn(entry, 'containerPort') ?? 0);
  return inOrder(
    inItems('containers', inItems('ports', port)),
    inItems('initContainers', inItems('ports', port)),
  )(spec);
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are always written, the new one wins. */
function mirrorServiceAccount(spec: JsonObject): JsonObject {
  const name = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount');
  if (name === '') return spec;
  return inOrder(
    (current) => withField(current, 'serviceAccountName', name),
    (current) => withField(current, 'serviceAccount', name),
  )(spec);
}

const OLD_INIT_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

/** Init containers were annotations once; the server drops what is left of that. */
function dropInitContainerAnnotations(metadata: JsonObject): JsonObject {
  const annotations = maybeObject(metadata, 'annotations');
  if (annotations === undefined || !OLD_INIT_ANNOTATIONS.some((key) => has(annotations, key)))
    return metadata;
  const kept = OLD_INIT_ANNOTATIONS.reduce((rest, key) => withField(rest, key, undefined), annotations);
  return withField(metadata, 'annotations', Object.keys(kept).length === 0 ? undefined : kept);
}

function requestsFromLimits(resources: JsonObject): JsonObject {
  const limits = maybeObject(resources, 'limits');
  if (limits === undefined || Object.keys(limits).length === 0) return resources;
  return withField(resources, 'requests', { ...limits, ...objectAt(resources, 'requests') });
}
