import { type KubeObject, getOwn, jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { withField } from '../../objects/change-object.ts';
import { has, metadataOf, objectAt, objectsAt, specOf, stringAt } from '../../objects/read.ts';
import { type Errors, NONE } from '../../validation/errors.ts';
import { shownDiff } from '../../validation/shown-diff.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { validatePod } from './pod.ts';
import { MIRROR_POD, POD_SPEC_RESET, withPodSpec } from './with-pod-spec.ts';

/** `PUT …/ephemeralcontainers`: containers are added to a running pod, never changed or removed. */
export const ephemeralContainers: Strategy = {
  prepareForUpdate: (object, old) => {
    const requested = getOwn(specOf(object), 'ephemeralContainers');
    return withPodSpec(object, old, withField(specOf(old), 'ephemeralContainers', requested));
  },
  validateUpdate: (object, old) => {
    if (has(objectAt(metadataOf(old), 'annotations'), MIRROR_POD))
      return [fieldErrors.forbidden('[]', 'static pods do not support ephemeral containers')];
    return [...validateObjectMetaUpdate(object, old), ...validatePod(object), ...validateAdded(object, old)];
  },
  resetFields: POD_SPEC_RESET,
};

function validateAdded(object: KubeObject, old: KubeObject): Errors {
  const now = objectsAt(specOf(object), 'ephemeralContainers');
  return objectsAt(specOf(old), 'ephemeralContainers').flatMap((container) => {
    const name = stringAt(container, 'name');
    const found = now.find((one) => stringAt(one, 'name') === name);
    if (found !== undefined && jsonEqual(found, container)) return NONE;
    const [verb, diff] =
      found === undefined
        ? ['removed', '']
        : ['changed', shownDiff('core.EphemeralContainer', container, found)];
    const detail = `existing ephemeral containers ${JSON.stringify(name)} may not be ${verb}\n${diff}`;
    return [fieldErrors.forbidden('spec.ephemeralContainers', detail)];
  });
}
