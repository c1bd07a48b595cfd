import type { JsonObject, KubeObject } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  dnsSubdomain,
  type Errors,
  forbidden,
  immutable,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, maybeObject, maybeString, objectAt, specOf, stringAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { clearStatus, keepOld, STATUS_RESET } from '../../model/status-strategy.ts';
import { changeObject, withField } from '../../objects/change-object.ts';
import { validateInlineVolumeSpec } from '../core/validate-volume-spec.ts';
import { csiDriverName } from '../core/csi-driver-name.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 VolumeAttachment`. */
export const volumeAttachment: Strategy = {
  prepareForCreate: clearStatus({ attached: false }),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateCreate: validate,
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
    ...validate(object),
    ...showing('storage.VolumeAttachmentSpec', immutable(specOf(object), specOf(old), 'spec')),
  ];
}

function validate(object: KubeObject): Errors {
  const spec = specOf(object);
  return [
    ...validateObjectMeta(object, RULES),
    ...csiDriverName(stringAt(spec, 'attacher'), 'spec.attacher'),
    ...validateSource(objectAt(spec, 'source')),
    ...dnsSubdomain(stringAt(spec, 'nodeName'), 'spec.nodeName'),
    ...volumeName(maybeString(objectAt(spec, 'source'), 'persistentVolumeName')),
  ];
}

function volumeName(name: string | undefined): Errors {
  if (name === undefined) return NONE;
  return invalidFor('spec.source.persistentVolumeName', name, isDns1123Subdomain(name));
}

function validateSource(source: JsonObject): Errors {
  const [volume, name] = [
    maybeObject(source, 'inlineVolumeSpec'),
    maybeString(source, 'persistentVolumeName'),
  ];
  const path = 'spec.source';
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (volume === undefined && name === undefined) return required(false, path, one);
  if (volume !== undefined && name !== undefined) return forbidden(true, path, one);
  if (volume !== undefined) return validateInlineVolumeSpec(volume, `${path}.inlineVolumeSpec`);
  return required(name !== '', `${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName');
}
