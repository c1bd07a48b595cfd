import type { corev1, JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { defaultTemplate } from '../../pods/default-pod.ts';
import { validateTemplate } from '../../pods/validate-template.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, objectAt } from '../../objects/read.ts';
import { generationOf, generationOfChanges } from '../../model/status-strategy.ts';
import { changeObject, inStruct } from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 PodTemplate`: a stored template of pods. The generation counts changes of the template. */
export const podTemplate: Strategy = {
  default: (object) => changeObject(object, inStruct<corev1.PodTemplate>('template', defaultTemplate)),
  ...generationOfChanges('template'),
  validateCreate: (object) => [
    ...validateObjectMeta(object, RULES),
    ...validateTemplate(templateOf(object), 'template'),
  ],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateTemplate(templateOf(object), 'template', templateOf(old)),
  ],
  warnings: (object, old) =>
    old !== undefined && generationOf(old) === generationOf(object)
      ? []
      : podWarnings(templateOf(object), 'template'),
};

function templateOf(object: KubeObject): JsonObject {
  return objectAt(bodyOf(object), 'template');
}
