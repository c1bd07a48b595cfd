import type { JsonObject, KubeObject } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube';
import type { Strategy } from '../../registry/resource-definition.ts';
import {
  dnsSubdomain,
  type Errors,
  forbidden,
  immutable,
  inFieldOrder,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  required,
} from '../shared/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../shared/object-meta.ts';
import { bodyOf, has, maybeString, objectAt, specOf, stringAt, valueAt } from '../shared/read.ts';
import { clearStatus, keepOld, STATUS_RESET } from '../shared/strategies.ts';
import { changeObject, withField } from '../shared/write.ts';
import { csiDriverName } from './csi-driver-name.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 VolumeAttachment`. */
export const volumeAttachment: Strategy = {
  prepareForCreate: clearStatus({ attached: false }),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateCreate: validate,
  validateUpdate,
  resetFields: STATUS_RESET,
};

/** Its status is written apart, and of the metadata only who manages what. */
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
    ...inFieldOrder(immutable(shownSpec(specOf(object)), shownSpec(specOf(old)), 'spec')),
  ];
}

/** The spec as the server prints it: a Go struct. */
function shownSpec(spec: JsonObject): JsonObject {
  const source = objectAt(spec, 'source');
  return {
    Attacher: stringAt(spec, 'attacher'),
    Source: {
      PersistentVolumeName: valueAt(source, 'persistentVolumeName'),
      InlineVolumeSpec: valueAt(source, 'inlineVolumeSpec'),
    },
    NodeName: stringAt(spec, 'nodeName'),
  };
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
  const [inline, name] = [has(source, 'inlineVolumeSpec'), maybeString(source, 'persistentVolumeName')];
  const path = 'spec.source';
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline && name === undefined) return required(false, path, one);
  return [
    ...forbidden(inline && name !== undefined, path, one),
    ...required(
      inline || name !== '',
      `${path}.persistentVolumeName`,
      'must specify non empty persistentVolumeName',
    ),
  ];
}
