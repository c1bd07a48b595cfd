import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../registry/resource-definition.ts';
import { defaultTemplate } from '../pod-spec/defaults.ts';
import { validateTemplate } from '../pod-spec/template.ts';
import { podWarnings } from '../pod-spec/warnings.ts';
import { nameIsDnsSubdomain } from '../shared/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../shared/object-meta.ts';
import { bodyOf, objectAt } from '../shared/read.ts';
import { changed, generationOf, withGeneration } from '../shared/strategies.ts';
import { changeObject, withField } from '../shared/write.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 PodTemplate`: what pods are made of, kept for whoever makes them. The generation counts changes of the template. */
export const podTemplate: Strategy = {
  default: (object) =>
    changeObject(object, (body) => withField(body, 'template', defaultTemplate(templateOf(object)))),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) =>
    changed(object, old, 'template') ? withGeneration(object, generationOf(old) + 1) : object,
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
