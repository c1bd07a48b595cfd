import { type JsonObject, type KubeObject, formatTime, getOwn, jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { defaultVolumeSource } from '../../pods/default-volume.ts';
import {
  type Errors,
  forbidden,
  immutable,
  invalid,
  NONE,
  nameIsDnsSubdomain,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, maybeObject, objectAt, specOf, statusOf, stringAt, valueAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { shownDiff } from '../../validation/shown-diff.ts';
import { keepOld, SPEC_RESET, STATUS_RESET } from '../../model/status-strategy.ts';
import {
  changeObject,
  inField,
  inOrder,
  orDefault,
  orDefaultPointer,
  withField,
} from '../../objects/change-object.ts';
import { withProtection } from './with-protection.ts';
import { MOUNT_OPTIONS, volumeWarnings } from './volume-warnings.ts';
import { isVolumeSource, validateVolumeSpec } from './validate-volume-spec.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `v1 PersistentVolume`. */
export const persistentVolume: Strategy = {
  default: (object) =>
    changeObject(
      object,
      inOrder(
        (body) => withField(body, 'status', orDefault(objectAt(body, 'status'), 'phase', 'Pending')),
        inField(
          'spec',
          inOrder(
            (spec) => orDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain'),
            (spec) => orDefaultPointer(spec, 'volumeMode', 'Filesystem'),
            defaultVolumeSource,
          ),
        ),
      ),
    ),
  prepareForCreate: (object, { now }) =>
    changeObject(withProtection(object, 'kubernetes.io/pv-protection'), (body) =>
      withField(body, 'status', { phase: 'Pending', lastPhaseTransitionTime: formatTime(now) }),
    ),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateCreate: validateVolume,
  // The original validates the same twice, and reports it both times.
  validateUpdate: (object, old) => [
    ...validateVolume(object),
    ...validateMetaAndSpec(object),
    ...validateChange(specOf(object), specOf(old)),
  ],
  resetFields: STATUS_RESET,
  warnings: volumeWarnings,
};

/** Its status has the time of its last change of phase. */
export const persistentVolumeStatus: Strategy = {
  prepareForUpdate: (object, old, { now }) => {
    const kept = keepOld(object, old, 'spec');
    const [status, before] = [statusOf(object), statusOf(old)];
    const [since, sinceBefore] = ['lastPhaseTransitionTime', 'lastPhaseTransitionTime'].map((key, index) =>
      valueAt(index === 0 ? status : before, key),
    );
    const inPhase = (time: JsonObject[string]): KubeObject =>
      changeObject(
        kept,
        inField('status', (body) => withField(body, 'lastPhaseTransitionTime', time)),
      );
    const samePhase = stringAt(status, 'phase') === stringAt(before, 'phase');
    if (samePhase) return since === null && sinceBefore !== null ? inPhase(sinceBefore ?? null) : kept;
    return since === null || since === sinceBefore ? inPhase(formatTime(now)) : kept;
  },
  validateUpdate: (object, old) => validateObjectMetaUpdate(object, old),
  resetFields: SPEC_RESET,
};

function validateMetaAndSpec(object: KubeObject): Errors {
  return [...validateObjectMeta(object, RULES), ...validateVolumeSpec(specOf(object), 'spec')];
}

function validateVolume(object: KubeObject): Errors {
  return [...validateMetaAndSpec(object), ...validateMountOptions(object)];
}

const TAKE_MOUNT_OPTIONS = (
  'gcePersistentDisk awsElasticBlockStore glusterfs nfs rbd quobyte iscsi cinder cephfs azureFile vsphereVolume ' +
  'azureDisk photonPersistentDisk'
).split(' ');

function validateMountOptions(object: KubeObject): Errors {
  const takes = TAKE_MOUNT_OPTIONS.some((key) => has(specOf(object), key));
  return forbidden(
    !takes && getOwn(object.metadata.annotations ?? {}, MOUNT_OPTIONS) !== undefined,
    `metadata.annotations.${MOUNT_OPTIONS}`,
    'may not specify mount options for this volume type',
  );
}

function validateChange(spec: JsonObject, before: JsonObject): Errors {
  const now = withoutNewExpandSecret(spec, before);
  const affinity = valueAt(spec, 'nodeAffinity');
  const drops = has(before, 'volumeAttributesClassName') && !has(spec, 'volumeAttributesClassName');
  return [
    ...validateSource(now, before),
    ...immutable(valueAt(spec, 'volumeMode'), valueAt(before, 'volumeMode'), 'volumeMode'),
    ...showing(
      '?core.VolumeNodeAffinity',
      invalid(
        has(before, 'nodeAffinity') && !jsonEqual(affinity, valueAt(before, 'nodeAffinity')),
        'nodeAffinity',
        affinity,
        'field is immutable, except for updating from beta label to GA',
      ),
    ),
    ...forbidden(drops, 'spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'),
  ];
}

function validateSource(spec: JsonObject, before: JsonObject): Errors {
  if (jsonEqual(sourceOf(spec), sourceOf(before))) return NONE;
  const diff = shownDiff('core.PersistentVolumeSource', before, spec);
  const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
  return [fieldErrors.forbidden('spec.persistentvolumesource', detail)];
}

const sourceOf = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => isVolumeSource(key)));

/** The secret for growing may be added to a volume that was made without one. */
function withoutNewExpandSecret(spec: JsonObject, before: JsonObject): JsonObject {
  const csi = maybeObject(before, 'csi');
  if (csi === undefined || has(csi, 'controllerExpandSecretRef')) return spec;
  return inField('csi', (source) => withField(source, 'controllerExpandSecretRef', undefined))(spec);
}
