import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, each, invalid, nameIsDnsLabel } from '../../validation/errors.ts';
import {
  validateFinalizerDomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../validation/validate-object-meta.ts';
import { bodyOf, metadataOf, objectAt, specOf, statusOf, stringAt, stringsAt } from '../../objects/read.ts';
import { keepOld, STATUS_RESET } from '../../model/status-strategy.ts';
import { changeObject, orDefault, withField } from '../../objects/change-object.ts';

const RULES = { namespaced: false, name: nameIsDnsLabel };
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** `v1 Namespace`. Every namespace carries its name as a label and starts with the finalizer `kubernetes`. */
export const namespace: Strategy = {
  default: (object) =>
    changeObject(withNameLabel(object), (body) => withField(body, 'status', activeByDefault(body))),
  prepareForCreate: (object) =>
    changeObject(object, (body) => {
      const finalizers = stringsAt(specOf(object), 'finalizers');
      const kept = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
      return withField(
        withField(body, 'status', { phase: 'Active' }),
        'spec',
        withField(specOf(object), 'finalizers', [...kept]),
      );
    }),
  prepareForUpdate: (object, old) => keepOld(keepFinalizers(object, old), old, 'status'),
  validateCreate: (object) => validateObjectMeta(object, RULES),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateObjectMeta(object, RULES),
  ],
  resetFields: STATUS_RESET,
};

export const namespaceStatus: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'spec'),
  validateUpdate: validateStatus,
  resetFields: [['f:spec']],
};

/** `PUT …/finalize`: the only way to take the namespace's own finalizers away. */
export const namespaceFinalize: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...each(stringsAt(specOf(object), 'finalizers'), 'spec.finalizers', validateFinalizerDomain),
  ],
  resetFields: STATUS_RESET,
};

function withNameLabel(object: KubeObject): KubeObject {
  const metadata = metadataOf(object);
  const name = stringAt(metadata, 'name');
  if (name === '') return object;
  const labels = withField(objectAt(metadata, 'labels'), NAME_LABEL, name);
  return changeObject(object, (body) => withField(body, 'metadata', withField(metadata, 'labels', labels)));
}

function activeByDefault(body: JsonObject): JsonObject {
  return orDefault(objectAt(body, 'status'), 'phase', 'Active');
}

function keepFinalizers(object: KubeObject, old: KubeObject): KubeObject {
  const finalizers = stringsAt(specOf(old), 'finalizers');
  const kept = finalizers.length === 0 ? undefined : [...finalizers];
  const spec = withField(objectAt(bodyOf(object), 'spec'), 'finalizers', kept);
  return changeObject(object, (body) => withField(body, 'spec', spec));
}

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  const phase = stringAt(statusOf(object), 'phase');
  const ending = object.metadata.deletionTimestamp !== undefined;
  const path = 'status.Phase';
  return [
    ...validateObjectMetaUpdate(object, old),
    ...invalid(
      !ending && phase !== 'Active',
      path,
      phase,
      "may only be 'Active' if `deletionTimestamp` is empty",
    ),
    ...invalid(
      ending && phase !== 'Terminating',
      path,
      phase,
      "may only be 'Terminating' if `deletionTimestamp` is not empty",
    ),
  ];
}
