import type { JsonObject } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { type Errors, forbidden, invalid, invalidFor, NONE, oneOf, required } from '../validation/errors.ts';
import {
  isEmptySelector,
  validateAnnotations,
  validateLabelSelector,
  validateLabels,
} from '../validation/validate-labels.ts';
import { entriesAt, has, maybeObject, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { showing } from '../validation/shown-as.ts';
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

/** What is wrong with a workload's `selector` itself; `kind` as the server spells it in the text. */
export function validateWorkloadSelector(spec: JsonObject, path: string, kind: string): Errors {
  const selector = maybeObject(spec, 'selector');
  if (selector === undefined) return required(false, `${path}.selector`);
  return [
    ...validateLabelSelector(selector, `${path}.selector`),
    ...showing(
      'meta.LabelSelector',
      invalid(
        isEmptySelector(selector),
        `${path}.selector`,
        selector,
        `empty selector is invalid for ${kind}`,
      ),
    ),
  ];
}

/** The template under a selector that must match it (none selects nothing); a workload whose pods run for ever. */
export function validateSelectedTemplate(
  spec: JsonObject,
  path: string,
  options: {
    readonly kind: string;
    /** Text for a selector that cannot be used at all. */
    readonly unusable: string;
    readonly template: (template: JsonObject, path: string) => Errors;
  },
): Errors {
  const selector = maybeObject(spec, 'selector');
  const template = objectAt(spec, 'template');
  if (selector !== undefined && !isUsable(selector)) {
    return showing('meta.LabelSelector', invalidFor(`${path}.selector`, selector, [options.unusable]));
  }
  return [
    ...validateMatches(selector, template, `${path}.template.metadata.labels`),
    ...options.template(template, `${path}.template`),
    ...validateLongRunning(template, `${path}.template.spec`, options.kind),
  ];
}

function validateMatches(selector: JsonObject | undefined, template: JsonObject, path: string): Errors {
  if (selector !== undefined && isEmptySelector(selector)) return NONE;
  const metadata = objectAt(template, 'metadata');
  const labels = Object.fromEntries(entriesAt(metadata, 'labels'));
  const shown = maybeObject(metadata, 'labels') ?? null;
  const matches = selector !== undefined && selects(selector, labels);
  return invalid(!matches, path, shown, '`selector` does not match template `labels`');
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

export function validateLongRunning(template: JsonObject, path: string, kind: string): Errors {
  const pod = objectAt(template, 'spec');
  return [
    ...oneOf(stringAt(pod, 'restartPolicy'), `${path}.restartPolicy`, ['Always']),
    ...forbidden(
      has(pod, 'activeDeadlineSeconds'),
      `${path}.activeDeadlineSeconds`,
      `activeDeadlineSeconds in ${kind} is not Supported`,
    ),
  ];
}
