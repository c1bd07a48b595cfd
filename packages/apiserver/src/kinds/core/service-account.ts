import type { KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, metadataOf, objectAt, stringAt } from '../../objects/read.ts';
import { changeObject, inItems } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

/** `v1 ServiceAccount`. Of the secrets it names, only the names are kept. */
export const serviceAccount: Strategy = {
  prepareForCreate: namesOnly,
  prepareForUpdate: namesOnly,
  validateCreate: (object) => validateObjectMeta(object, RULES),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateObjectMeta(object, RULES),
  ],
  warnings: (object, old) => {
    if (!isEnforced(object) || (old !== undefined && isEnforced(old))) return [];
    const text = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${ENFORCE}]: ${text}`];
  },
};

function namesOnly(object: KubeObject): KubeObject {
  const name = inItems('secrets', (reference) => {
    const value = stringAt(reference, 'name');
    return value === '' ? {} : { name: value };
  });
  return changeObject(object, name);
}

function isEnforced(object: KubeObject): boolean {
  return has(objectAt(metadataOf(object), 'annotations'), ENFORCE);
}
