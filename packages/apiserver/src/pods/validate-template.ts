import type { corev1, JsonObject, metav1 } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { type Errors, forbidden } from '../validation/errors.ts';
import type { Field } from '../validation/field.ts';
import {
  isEmptySelector,
  validateAnnotations,
  validateLabelSelector,
  validateLabels,
} from '../validation/validate-labels.ts';
import { entriesAt, objectAt, objectsAt } from '../objects/read.ts';
import {
  hasInvalidDeletionCost,
  validatePodAnnotations,
  validateProfilesMatch,
} from './validate-pod-annotations.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

/** `ValidatePodTemplateSpec`. `old` is the stored template on update: what it got wrong it may keep. */
export function validateTemplate(template: JsonObject, path: string, old?: JsonObject): Errors {
  const metadata = objectAt(template, 'metadata');
  const spec = objectAt(template, 'spec');
  const anyDeletionCost = old !== undefined && hasInvalidDeletionCost(objectAt(old, 'metadata'));
  return [
    ...validateLabels(metadata, 'labels', `${path}.labels`),
    ...validateAnnotations(metadata, 'annotations', `${path}.annotations`),
    ...validatePodAnnotations(metadata, spec, `${path}.annotations`, { anyDeletionCost }),
    ...validatePodSpec(spec, `${path}.spec`, { isPod: false, podName: '' }),
    ...validateProfilesMatch(metadata, spec, `${path}.spec`),
    ...forbidden(
      objectsAt(spec, 'ephemeralContainers').length > 0,
      `${path}.spec.ephemeralContainers`,
      'ephemeral containers not allowed in pod template',
    ),
  ];
}

type Selector = Field<metav1.LabelSelector>;
type Template = Field<corev1.PodTemplateSpec>;

/** What is wrong with a workload's selector itself; `kind` as the server spells it in the text. */
export function validateWorkloadSelector(selector: Selector, kind: string): void {
  if (!selector.isStruct) return selector.addRequired();
  selector.check(validateLabelSelector);
  if (isEmptySelector(selector.object))
    selector.addInvalid(`empty selector is invalid for ${kind}`, { as: 'meta.LabelSelector' });
}

/**
 * The template under a selector that must match it (none selects nothing); a workload whose pods run for ever.
 * `unusable` is the text for a selector that cannot be used at all.
 */
export function validateSelectedTemplate(
  selector: Selector,
  template: Template,
  { kind, unusable }: { readonly kind: string; readonly unusable: string },
  old?: Template,
): void {
  if (!isUsable(selector.object)) return selector.addInvalid(unusable, { as: 'meta.LabelSelector' });
  if (!selector.isStruct || !isEmptySelector(selector.object)) validateMatches(selector, template);
  template.check((value, path) => validateTemplate(value, path, old?.object));
  validateLongRunning(template, kind);
}

/** The selector matches the labels of the template; none matches nothing. */
export function validateMatches(selector: Selector, template: Template): void {
  const labels = template.at('metadata').at('labels');
  const entries = entriesAt(template.at('metadata').object, 'labels');
  if (selector.isStruct && selects(selector.object, Object.fromEntries(entries))) return;
  const value = labels.isStruct ? labels.value : null;
  labels.addInvalid('`selector` does not match template `labels`', { value });
}

/** True where `metav1.LabelSelectorAsSelector` makes no error. */
export function isUsable(selector: JsonObject): boolean {
  try {
    selectorFromLabelSelector(selector);
    return true;
  } catch {
    return false;
  }
}

export function selects(selector: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  return matchesLabels(selectorFromLabelSelector(selector), labels);
}

export function validateLongRunning(template: Template, kind: string): void {
  const pod = template.at('spec');
  pod.oneOf('restartPolicy', ['Always']);
  pod.forbid('activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`);
}
