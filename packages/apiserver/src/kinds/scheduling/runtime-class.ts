import type { KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { dnsLabel, type Errors, immutable, nameIsDnsSubdomain, required } from '../../validation/errors.ts';
import { validateLabels } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, objectAt, stringAt } from '../../objects/read.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `node.k8s.io/v1 RuntimeClass`. */
export const runtimeClass: Strategy = {
  validateCreate: validate,
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...immutable(handlerOf(object), handlerOf(old), 'handler'),
  ],
};

function handlerOf(object: KubeObject): string {
  return stringAt(bodyOf(object), 'handler');
}

function validate(object: KubeObject): Errors {
  const handler = handlerOf(object);
  const scheduling = objectAt(bodyOf(object), 'scheduling');
  return [
    ...validateObjectMeta(object, RULES),
    ...(handler === '' ? required(false, 'handler') : dnsLabel(handler, 'handler')),
    ...validateLabels(scheduling, 'nodeSelector', 'scheduling.nodeSelector'),
  ];
}
