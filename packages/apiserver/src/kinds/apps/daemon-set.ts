import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { getOwn, jsonEqual } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { isUsable, selects, validateLongRunning, validateTemplate } from '../../pods/validate-template.ts';
import {
  type Errors,
  invalid,
  nameIsDnsSubdomain,
  nonNegative,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { isEmptySelector, validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { entriesAt, maybeObject, objectAt, specOf, statusOf, stringAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { statusStrategy } from '../../model/status-strategy.ts';
import {
  type Change,
  inField,
  inOrder,
  orDefault,
  orDefaultPointer,
  when,
  withField,
} from '../../objects/change-object.ts';
import { amount, notMoreThanAll, numberOf, validateAmount } from './rolling-update.ts';
import {
  changeSpec,
  collisionsNotFewer,
  nonNegativeCounts,
  selectorImmutable,
  specStrategyOf,
  templateDefaults,
  templateWarnings,
} from './workload.ts';

const specStrategy = specStrategyOf({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});
const RULES = { namespaced: true, name: nameIsDnsSubdomain };
/** The number of the template, kept by the server in an annotation of old; only ever copied here. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const updateDefaults: Change = inOrder(
  (strategy) => orDefault(strategy, 'type', 'RollingUpdate'),
  when(
    (strategy) => stringAt(strategy, 'type') === 'RollingUpdate',
    inOrder(
      (strategy) => orDefaultPointer(strategy, 'rollingUpdate', {}),
      inField(
        'rollingUpdate',
        inOrder(
          (update) => orDefaultPointer(update, 'maxUnavailable', 1),
          (update) => orDefaultPointer(update, 'maxSurge', 0),
        ),
      ),
    ),
  ),
);

const specDefaults: Change = inOrder(
  (spec) => withField(spec, 'updateStrategy', updateDefaults(objectAt(spec, 'updateStrategy'))),
  (spec) => orDefaultPointer(spec, 'revisionHistoryLimit', 10),
  templateDefaults,
);

/** `apps/v1 DaemonSet`. */
export const daemonSet: Strategy = {
  ...specStrategy,
  // As kube-apiserver, whose own form of the object has a field for it: who writes no number writes 0, and owns it.
  default: (object) => {
    const number = object.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
    return withTemplateGeneration(changeSpec(object, specDefaults), number);
  },
  prepareForCreate: (object, context) => {
    const given = Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const next = specStrategy.prepareForCreate?.(object, context) ?? object;
    return withTemplateGeneration(next, String(Number.isInteger(given) && given >= 1 ? given : 1));
  },
  prepareForUpdate: (object, old, context) => {
    const next = specStrategy.prepareForUpdate?.(object, old, context) ?? object;
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    return withTemplateGeneration(next, String(templateChanged(object, old) ? before + 1 : before));
  },
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(specOf(object))],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...selectorImmutable(object, old),
    ...validateSpec(specOf(object), specOf(old)),
  ],
  warnings: templateWarnings,
};

export const daemonSetStatus: Strategy = statusStrategy(validateStatus);

function templateChanged(object: KubeObject, old: KubeObject): boolean {
  const template = (value: KubeObject): Json => getOwn(specOf(value), 'template') ?? null;
  return !jsonEqual(template(object), template(old));
}

function withTemplateGeneration(object: KubeObject, generation: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: generation };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function validateSpec(spec: JsonObject, old?: JsonObject): Errors {
  const selector = maybeObject(spec, 'selector');
  const template = objectAt(spec, 'template');
  return [
    ...validateLabelSelector(selector, 'spec.selector'),
    ...validateSelects(selector, template),
    ...showing(
      '?meta.LabelSelector',
      invalid(
        selector !== undefined && isEmptySelector(selector),
        'spec.selector',
        selector ?? null,
        'empty selector is invalid for daemonset',
      ),
    ),
    ...validateTemplate(template, 'spec.template', old === undefined ? undefined : objectAt(old, 'template')),
    ...validateLongRunning(template, 'spec.template.spec', 'DaemonSet'),
    ...nonNegative(spec, 'minReadySeconds', 'spec'),
    ...validateUpdateStrategy(objectAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...nonNegative(spec, 'revisionHistoryLimit', 'spec'),
  ];
}

function validateSelects(selector: JsonObject | undefined, template: JsonObject): Errors {
  if (selector !== undefined && !isUsable(selector)) return [];
  const metadata = objectAt(template, 'metadata');
  const labels = Object.fromEntries(entriesAt(metadata, 'labels'));
  return invalid(
    selector === undefined || !selects(selector, labels),
    'spec.template.metadata.labels',
    maybeObject(metadata, 'labels') ?? null,
    '`selector` does not match template `labels`',
  );
}

function validateUpdateStrategy(strategy: JsonObject, path: string): Errors {
  const type = stringAt(strategy, 'type');
  const update = maybeObject(strategy, 'rollingUpdate');
  if (type === 'OnDelete') return [];
  if (type === 'RollingUpdate') {
    return update === undefined
      ? required(false, `${path}.rollingUpdate`)
      : validateRollingUpdate(update, `${path}.rollingUpdate`);
  }
  return showing('apps.DaemonSetUpdateStrategy', oneOf(type, path, ['RollingUpdate', 'OnDelete'], strategy));
}

function validateRollingUpdate(update: JsonObject, path: string): Errors {
  const [unavailable, surge] = [amount(update, 'maxUnavailable'), amount(update, 'maxSurge')];
  const [hasUnavailable, hasSurge] = [numberOf(unavailable) !== 0, numberOf(surge) !== 0];
  return [
    ...validateAmount(unavailable, `${path}.maxUnavailable`),
    ...validateAmount(surge, `${path}.maxSurge`),
    ...notMoreThanAll(unavailable, `${path}.maxUnavailable`),
    ...notMoreThanAll(surge, `${path}.maxSurge`),
    ...invalid(
      hasUnavailable && hasSurge,
      `${path}.maxSurge`,
      surge,
      'may not be set when maxUnavailable is non-zero',
    ),
    ...required(hasUnavailable || hasSurge, `${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'),
  ];
}

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  return [
    ...validateObjectMetaUpdate(object, old),
    ...nonNegativeCounts(
      statusOf(object),
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ),
    ...collisionsNotFewer(object, old),
  ];
}
