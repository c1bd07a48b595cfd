import type { admissionregistrationv1 } from '@kubewright/kube';
import { isQualifiedName } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';

/** What compiles an expression; `failure` says why it does not. */
export type Compile = (text: string) => object | { readonly failure: string };

type Condition = admissionregistrationv1.MatchCondition;

const MAX_CONDITIONS = 64;

/** CEL conditions that a request must meet for a webhook to be called, or a policy to be asked: a list and its items. */
export function validateMatchConditions(
  list: Pick<Field<readonly Condition[]>, 'addTooMany'>,
  conditions: readonly Field<Condition>[],
  compile: Compile,
): void {
  if (conditions.length > MAX_CONDITIONS) list.addTooMany(conditions.length, MAX_CONDITIONS);
  const isRepeated = repeats();
  for (const condition of conditions) {
    const expression = condition.at('expression');
    const text = expression.asText.trim();
    if (text === '') expression.addRequired();
    else validateExpression(expression, text, compile);
    condition.requireMatch('name', isQualifiedName);
    if (condition.text('name') !== '') condition.at('name').mustBeNew(isRepeated);
  }
}

/** Adds why `text`, which is the field's or made of it, does not compile. */
export function validateExpression(expression: Field<string>, value: string, compile: Compile): void {
  const compiled = compile(value);
  if ('failure' in compiled) expression.addInvalid(compiled.failure, { value });
}
