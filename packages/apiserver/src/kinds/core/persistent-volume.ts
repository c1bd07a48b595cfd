import {
  type corev1,
  formatTime,
  getOwn,
  jsonEqual,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { defaultVolumeSource } from '../../pods/default-volume.ts';
import { type Errors, forbidden, NONE, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { specErrors, specField } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, maybeObject, specOf, statusOf, stringAt, valueAt } from '../../objects/read.ts';
import { shownDiff } from '../../validation/shown-diff.ts';
import { keepOld, SPEC_RESET, STATUS_RESET } from '../../model/status-strategy.ts';
import {
  changeObject,
  defaults,
  inField,
  inOrder,
  inStruct,
  withField,
  zeroDefaults,
} from '../../objects/change-object.ts';
import { withProtection } from './with-protection.ts';
import { MOUNT_OPTIONS, volumeWarnings } from './volume-warnings.ts';
import { isVolumeSource, validateVolumeSpec } from './validate-volume-spec.ts';

type Spec = corev1.PersistentVolumeSpec;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

const ownDefaults = inOrder(
  inStruct<corev1.PersistentVolume>(
    'status',
    zeroDefaults<corev1.PersistentVolumeStatus>({ phase: 'Pending' }),
  ),
  inField(
    'spec',
    inOrder(
      zeroDefaults<Spec>({ persistentVolumeReclaimPolicy: 'Retain' }),
      defaults<Spec>({ volumeMode: 'Filesystem' }),
      defaultVolumeSource,
    ),
  ),
);

/** `v1 PersistentVolume`. */
export const persistentVolume: Strategy = {
  default: (object) => changeObject(object, ownDefaults),
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
    ...specErrors<Spec>((spec) => validateChange(spec, specField(old)), object),
  ],
  resetFields: STATUS_RESET,
  warnings: volumeWarnings,
};

/** Its status has the time of its last change of phase. */
export const persistentVolumeStatus: Strategy = {
  prepareForUpdate: (object, old, { now }) => {
    const kept = keepOld(object, old, 'spec');
    const [status, before] = [statusOf(object), statusOf(old)];
    const [since, sinceBefore] = [status, before].map((one) => valueAt(one, 'lastPhaseTransitionTime'));
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
  return [...validateObjectMeta(object, RULES), ...specErrors(validateVolumeSpec, object)];
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

function validateChange(spec: Field<Spec>, old: Field<Spec>): void {
  const affinity = old.at('nodeAffinity');
  spec.add(validateSource(withoutNewExpandSecret(spec.object, old.object), old.object));
  // These two paths have no `spec`, as upstream.
  const now = new Field<Spec>(spec.value, { path: '', errors: spec.errors });
  now.immutable(old, 'volumeMode');
  if (affinity.value !== null && !jsonEqual(spec.at('nodeAffinity').value, affinity.value))
    now.at('nodeAffinity').addInvalid('field is immutable, except for updating from beta label to GA', {
      as: '?core.VolumeNodeAffinity',
    });
  if (old.has('volumeAttributesClassName') && !spec.has('volumeAttributesClassName'))
    spec.at('volumeAttributesClassName').addForbidden('update from non-nil value to nil is forbidden');
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
