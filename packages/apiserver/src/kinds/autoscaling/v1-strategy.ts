import type { KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { changeObject, inField, orDefaultPointer } from '../../objects/change-object.ts';
import { toV1, toV2 } from './to-v1.ts';

const defaults = inField('spec', (spec) => orDefaultPointer(spec, 'minReplicas', 1));

/** The rules of v2 for objects of v1. */
export function v1Strategy({
  prepareForCreate,
  prepareForUpdate,
  validateCreate,
  validateUpdate,
  ...rest
}: Strategy): Strategy {
  return {
    ...rest,
    default: (object) => changeObject(object, defaults),
    ...(prepareForCreate && {
      prepareForCreate: (object: KubeObject, context) => toV1(prepareForCreate(toV2(object), context)),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (object: KubeObject, old: KubeObject, context) =>
        toV1(prepareForUpdate(toV2(object), toV2(old), context)),
    }),
    ...(validateCreate && {
      validateCreate: (object: KubeObject, context) => validateCreate(toV2(object), context),
    }),
    ...(validateUpdate && {
      validateUpdate: (object: KubeObject, old: KubeObject, context) =>
        validateUpdate(toV2(object), toV2(old), context),
    }),
  };
}
