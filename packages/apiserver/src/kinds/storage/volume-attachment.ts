import { jsonEqual, type JsonObject, type KubeObject, type storagev1 } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors, specField } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';
import { clearStatus, keepOld, STATUS_RESET } from '../../model/status-strategy.ts';
import { changeObject, withField } from '../../objects/change-object.ts';
import { validateInlineVolumeSpec } from '../core/validate-volume-spec.ts';
import { csiDriverName } from '../core/csi-driver-name.ts';

type Spec = Field<storagev1.VolumeAttachmentSpec>;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 VolumeAttachment`. */
export const volumeAttachment: Strategy = {
  prepareForCreate: clearStatus({ attached: false }),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...specErrors(validateSpec, object)],
  validateUpdate,
  resetFields: STATUS_RESET,
};

/** The status has a subresource of its own; of the metadata only managedFields change by it. */
export const volumeAttachmentStatus: Strategy = {
  prepareForUpdate: (object, old) => {
    const metadata = withField(
      bodyOf(old)['metadata'] as JsonObject,
      'managedFields',
      object.metadata['managedFields'],
    );
    return changeObject(keepOld(object, old, 'spec'), (body) => withField(body, 'metadata', metadata));
  },
  validateUpdate,
  resetFields: [['f:metadata'], ['f:spec']],
};

function validateUpdate(object: KubeObject, old: KubeObject): Errors {
  return [
    ...validateObjectMetaUpdate(object, old),
    ...validateObjectMeta(object, RULES),
    ...specErrors((spec: Spec) => {
      validateSpec(spec);
      if (!jsonEqual(spec.object, specField(old).object))
        spec.addInvalid('field is immutable', { value: spec.object, as: 'storage.VolumeAttachmentSpec' });
    }, object),
  ];
}

function validateSpec(spec: Spec): void {
  spec.at('attacher').checkText(csiDriverName);
  validateSource(spec.at('source'));
  spec.matches('nodeName', isDns1123Subdomain);
  spec.at('source').matchesIfSet('persistentVolumeName', isDns1123Subdomain);
}

function validateSource(source: Field<storagev1.VolumeAttachmentSource>): void {
  const [volume, name] = [source.maybeAt('inlineVolumeSpec'), source.maybeText('persistentVolumeName')];
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (volume === undefined && name === undefined) source.addRequired(one);
  else if (volume !== undefined && name !== undefined) source.addForbidden(one);
  else if (volume !== undefined) validateInlineVolumeSpec(volume);
  else source.requireText('persistentVolumeName', 'must specify non empty persistentVolumeName');
}
