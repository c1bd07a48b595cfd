import type { JsonObject } from '@kubewright/kube';
import { compileCondition } from '@kubewright/kube/cel';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, each, NONE, qualifiedName } from '../../validation/errors.ts';
import { objectsAt, stringAt } from '../../objects/read.ts';

const MOST = 64;

/** CEL conditions that a request must meet for the webhook to be called. */
export function validateMatchConditions(webhook: JsonObject, path: string): Errors {
  const conditions = objectsAt(webhook, 'matchConditions');
  const seen = new Set<string>();
  return [
    ...(conditions.length > MOST ? [fieldErrors.tooMany(path, conditions.length, MOST)] : NONE),
    ...each(conditions, path, (condition, at) => {
      const name = stringAt(condition, 'name');
      const repeated = name !== '' && seen.has(name);
      seen.add(name);
      return [
        ...validateExpression(stringAt(condition, 'expression').trim(), `${at}.expression`),
        ...(name === '' ? [fieldErrors.required(`${at}.name`, '')] : qualifiedName(name, `${at}.name`)),
        ...(repeated ? [fieldErrors.duplicate(`${at}.name`, name)] : NONE),
      ];
    }),
  ];
}

function validateExpression(expression: string, path: string): Errors {
  if (expression === '') return [fieldErrors.required(path, '')];
  const compiled = compileCondition(expression);
  return 'failure' in compiled ? [fieldErrors.invalid(path, expression, compiled.failure)] : NONE;
}
