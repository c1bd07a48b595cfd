import { type JsonObject, type KubeObject, formatTime, getOwn } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  hasInvalidDeletionCost,
  validatePodAnnotations,
  validateProfilesMatch,
} from '../../pods/validate-pod-annotations.ts';
import { defaultPod } from '../../pods/default-pod.ts';
import { validateImageSpacing } from '../../pods/validate-ephemeral-containers.ts';
import { validatePodSpec } from '../../pods/validate-pod-spec.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import { type Errors, each, forbidden, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  bodyOf,
  has,
  maybeNumber,
  metadataOf,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  valueAt,
} from '../../objects/read.ts';
import {
  changed,
  generationOf,
  keepOld,
  keepOldMetadata,
  STATUS_RESET,
  withGeneration,
} from '../../model/status-strategy.ts';
import {
  changeObject,
  withField,
  inField,
  inOrder,
  orDefaultPointer,
  when,
  type Change,
} from '../../objects/change-object.ts';
import { validatePodChange } from './validate-pod-change.ts';
import { qosClass } from '../../pods/qos-class.ts';
import { nameOf } from '../../objects/name-of.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 Pod`. */
export const pod: Strategy = {
  default: (object) => changeObject(object, defaultPod),
  prepareForCreate: (object, context) => {
    const gated = objectsAt(specOf(object), 'schedulingGates').length > 0;
    const status: JsonObject = {
      phase: 'Pending',
      ...(gated ? { conditions: [gatedAt(context.now)] } : {}),
      qosClass: qosClass(specOf(object)),
    };
    const admitted = changeObject(object, inField('spec', admit));
    return withGeneration(
      changeObject(admitted, (body) => withField(body, 'status', status)),
      1,
    );
  },
  prepareForUpdate: (object, old) => {
    const admitted = changeObject(object, inField('spec', admitChange(specOf(old))));
    const kept = keepOld(admitted, old, 'status');
    return changed(kept, old, 'spec') ? withGeneration(kept, generationOf(old) + 1) : kept;
  },
  validateCreate: (object) => [
    ...validatePod(object, false),
    ...forbidden(
      objectsAt(specOf(object), 'ephemeralContainers').length > 0,
      'spec.ephemeralContainers',
      'cannot be set on create',
    ),
    ...forbidden(
      stringAt(specOf(object), 'nodeName') !== '' && objectsAt(specOf(object), 'schedulingGates').length > 0,
      'spec.nodeName',
      'cannot be set until all schedulingGates have been cleared',
    ),
    ...validateProfilesMatch(metadataOf(object), specOf(object), 'spec'),
  ],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validatePod(object, hasInvalidDeletionCost(metadataOf(old))),
    ...validatePodChange(object, old),
  ],
  warnings: (object, old) => (old === undefined ? createWarnings(object) : []),
  resetFields: STATUS_RESET,
};

/** Node and owners are not the status writer's business; the quality of service is kept where it is left out. */
export const podStatus: Strategy = {
  prepareForUpdate: (object, old) => {
    const kept = keepOldMetadata(keepOld(object, old, 'spec'), old, 'ownerReferences');
    const known = getOwn(statusOf(old), 'qosClass');
    if (has(statusOf(kept), 'qosClass') || known === undefined) return kept;
    return changeObject(kept, (body) =>
      withField(body, 'status', withField(statusOf(kept), 'qosClass', known)),
    );
  },
  validateUpdate: (object, old) => validateObjectMetaUpdate(object, old),
  resetFields: [['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']],
};

const ON_NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Five minutes on a node that is in trouble. */
const stayInTrouble: Change = (spec) => {
  const own = objectsAt(spec, 'tolerations');
  const missing = ON_NODE_TROUBLE.filter((key) => !own.some((toleration) => tolerates(toleration, key)));
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  return added.length === 0 ? spec : withField(spec, 'tolerations', [...own, ...added]);
};

/** What the default admission plugins add to a new pod: that, and the priority. */
const admit: Change = inOrder(
  when(
    (spec) => stringAt(spec, 'priorityClassName') === '',
    inOrder(
      (spec) => orDefaultPointer(spec, 'priority', 0),
      (spec) => orDefaultPointer(spec, 'preemptionPolicy', 'PreemptLowerPriority'),
    ),
  ),
  stayInTrouble,
);

/** What they add to a changed one, where it was left out. */
function admitChange(old: JsonObject): Change {
  const kept = ['priority', 'preemptionPolicy'].filter((key) => has(old, key));
  return inOrder(
    ...kept.map(
      (key): Change =>
        (spec) =>
          orDefaultPointer(spec, key, valueAt(old, key)),
    ),
    stayInTrouble,
  );
}

function tolerates(toleration: JsonObject, key: string): boolean {
  const [own, effect] = [stringAt(toleration, 'key'), stringAt(toleration, 'effect')];
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
}

function gatedAt(now: Date): JsonObject {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

/** A pod as it is to be, whatever it was. */
export function validatePod(object: KubeObject, anyDeletionCost = true): Errors {
  const [metadata, spec] = [metadataOf(object), specOf(object)];
  const name = stringAt(metadata, 'name');
  return [
    ...validateObjectMeta(object, RULES),
    ...validatePodAnnotations(metadata, spec, 'metadata.annotations', { anyDeletionCost }),
    ...validatePodSpec(spec, 'spec', { isPod: true, podName: name }),
    ...validateTokens(spec),
    ...each(objectsAt(spec, 'containers'), 'spec.containers', validateImageSpacing),
    ...each(objectsAt(spec, 'initContainers'), 'spec.initContainers', validateImageSpacing),
  ];
}

/** A projected token is of a service account, so there must be one. */
function validateTokens(spec: JsonObject): Errors {
  if (stringAt(spec, 'serviceAccountName') !== '') return [];
  return each(objectsAt(spec, 'volumes'), 'spec.volumes', (volume, at) =>
    each(objectsAt(objectAt(volume, 'projected'), 'sources'), `${at}.projected.sources`, (source, where) =>
      forbidden(
        has(source, 'serviceAccountToken'),
        `${where}.serviceAccountToken`,
        'must not be specified when serviceAccountName is not set',
      ),
    ),
  );
}

function createWarnings(object: KubeObject): readonly string[] {
  const messages = isDns1123Label(nameOf(object));
  const advice =
    "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [
    ...(messages.length === 0 ? [] : [`metadata.name: ${advice}: [${messages.join(' ')}]`]),
    ...podWarnings(bodyOf(object), ''),
  ];
}

/** Seconds that a pod gets to end in: none before it is on a node or after it is done. */
export function podGracePeriod(object: KubeObject, requested: number | undefined): number {
  const phase = stringAt(statusOf(object), 'phase');
  const done = phase === 'Failed' || phase === 'Succeeded';
  if (stringAt(specOf(object), 'nodeName') === '' || done) return 0;
  const period = requested ?? maybeNumber(specOf(object), 'terminationGracePeriodSeconds') ?? 0;
  return period < 0 ? 1 : period;
}
