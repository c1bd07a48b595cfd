import type { appsv1, KubeObject } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import {
  isUsable,
  validateLongRunning,
  validateMatches,
  validateTemplate,
} from '../../pods/validate-template.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specField, statusErrors } from '../../validation/spec-errors.ts';
import { isEmptySelector, validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import { type Change, defaults, inOrder, inStruct } from '../../objects/change-object.ts';
import {
  amountOf,
  strategyDefaults,
  validateAmount,
  validateNotMoreThanAll,
} from './validate-rolling-update.ts';
import { changeSpec, notFewer, templateDefaults, templateWarnings } from './workload.ts';

type Spec = Field<appsv1.DaemonSetSpec>;
type Status = Field<appsv1.DaemonSetStatus>;

const ofSpec = specStrategy({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});
const RULES = { namespaced: true, name: nameIsDnsSubdomain };
/** The number of the template, kept by the server in an annotation of old; only ever copied here. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const specDefaults: Change = inOrder(
  inStruct<appsv1.DaemonSetSpec>('updateStrategy', strategyDefaults({ maxUnavailable: 1, maxSurge: 0 })),
  defaults<appsv1.DaemonSetSpec>({ revisionHistoryLimit: 10 }),
  templateDefaults,
);

/** `apps/v1 DaemonSet`. */
export const daemonSet: Strategy = {
  ...ofSpec,
  // As kube-apiserver, whose own form of the object has a field for it: who writes no number writes 0, and owns it.
  default: (object) => {
    const number = object.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
    return withTemplateGeneration(changeSpec(object, specDefaults), number);
  },
  prepareForCreate: (object) => {
    const given = Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const next = ofSpec.prepareForCreate(object);
    return withTemplateGeneration(next, String(Number.isInteger(given) && given >= 1 ? given : 1));
  },
  prepareForUpdate: (object, old) => {
    const next = ofSpec.prepareForUpdate(object, old);
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    return withTemplateGeneration(next, String(templateChanged(object, old) ? before + 1 : before));
  },
  ...specValidation(RULES, validateSpec),
  warnings: templateWarnings,
};

export const daemonSetStatus: Strategy = statusStrategy((object, old) => [
  ...validateObjectMetaUpdate(object, old),
  ...statusErrors(validateStatus, object, old),
]);

function templateChanged(object: KubeObject, old: KubeObject): boolean {
  const [spec, before] = [specField<appsv1.DaemonSetSpec>(object), specField<appsv1.DaemonSetSpec>(old)];
  return !jsonEqual(spec.at('template').value, before.at('template').value);
}

function withTemplateGeneration(object: KubeObject, generation: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: generation };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function validateSpec(spec: Spec, old?: Spec): void {
  if (old !== undefined) spec.immutable(old, 'selector', '?meta.LabelSelector');
  const [selector, template] = [spec.at('selector'), spec.at('template')];
  selector.check(validateLabelSelector);
  if (isUsable(selector.object)) validateMatches(selector, template);
  if (selector.isStruct && isEmptySelector(selector.object))
    selector.addInvalid('empty selector is invalid for daemonset', { as: 'meta.LabelSelector' });
  template.check((value, path) => validateTemplate(value, path, old?.at('template').object));
  validateLongRunning(template, 'DaemonSet');
  spec.nonNegative('minReadySeconds');
  validateUpdateStrategy(spec.at('updateStrategy'));
  spec.nonNegative('revisionHistoryLimit');
}

function validateUpdateStrategy(strategy: Field<appsv1.DaemonSetUpdateStrategy>): void {
  if (strategy.is('type', 'OnDelete')) return;
  const update = strategy.maybeAt('rollingUpdate');
  if (!strategy.is('type', 'RollingUpdate'))
    strategy.addNotSupported(['RollingUpdate', 'OnDelete'], { as: 'apps.DaemonSetUpdateStrategy' });
  else if (update === undefined) strategy.at('rollingUpdate').addRequired();
  else validateRollingUpdate(update);
}

function validateRollingUpdate(update: Field<appsv1.RollingUpdateDaemonSet>): void {
  const [unavailable, surge] = [update.at('maxUnavailable'), update.at('maxSurge')];
  const [hasUnavailable, hasSurge] = [amountOf(unavailable) !== 0, amountOf(surge) !== 0];
  for (const amount of [unavailable, surge]) validateAmount(amount);
  for (const amount of [unavailable, surge]) validateNotMoreThanAll(amount);
  if (hasUnavailable && hasSurge) surge.addInvalid('may not be set when maxUnavailable is non-zero');
  if (!hasUnavailable && !hasSurge) unavailable.addRequired('cannot be 0 when maxSurge is 0');
}

function validateStatus(status: Status, old: Status): void {
  status.nonNegative('currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady');
  status.nonNegative('observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable');
  status.nonNegative('collisionCount');
  notFewer(status, old, 'collisionCount');
}
