import type { admissionregistrationv1 } from '@kubewright/kube';
import { compileCondition } from '@kubewright/kube/cel';
import { isQualifiedName } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';

/** CEL conditions that a request must meet for the webhook to be called. */
export function validateMatchConditions(webhook: Field<admissionregistrationv1.MutatingWebhook>): void {
  const isRepeated = repeats();
  webhook.atMostItems('matchConditions', 64);
  for (const condition of webhook.items('matchConditions')) {
    validateExpression(condition.at('expression'));
    condition.requireMatch('name', isQualifiedName);
    if (condition.text('name') !== '') condition.at('name').mustBeNew(isRepeated);
  }
}

function validateExpression(expression: Field<string>): void {
  const value = expression.asText.trim();
  if (value === '') return expression.addRequired();
  const compiled = compileCondition(value);
  if ('failure' in compiled) expression.addInvalid(compiled.failure, { value });
}
