import { errorText } from '@kubewright/kube';
import type { AdmissionVariables } from '@kubewright/kube/cel';
import type { Authorizer } from '../../auth/authorizer.ts';
import { forbidden } from '../../api-server-error.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { variablesOf } from '../matching/variables-of.ts';
import type { HookCondition } from './hook.ts';
import type { Invocation } from './invocation.ts';

/**
 * Whether a write meets the matchConditions of a webhook. One that is false decides; an error in one counts as a failed
 * call of the webhook.
 */
export function meetsConditions(
  authorize: Authorizer,
  invocation: Invocation,
  attributes: AdmissionAttributes,
): boolean {
  const { conditions, failurePolicy } = invocation.hook;
  if (conditions.length === 0) return true;
  const variables = variablesOf(authorize, invocation, attributes);
  const errors: string[] = [];
  for (const condition of conditions) {
    const outcome = outcomeOf(condition, variables);
    if (outcome === false) return false;
    if (outcome !== true) errors.push(outcome.error);
  }
  if (errors.length === 0) return true;
  if (failurePolicy === 'Ignore') return false;
  const why = errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`;
  throw forbidden(attributes.request.definition, attributes.name, why);
}

function outcomeOf(
  { expression }: HookCondition,
  variables: AdmissionVariables,
): boolean | { readonly error: string } {
  if ('failure' in expression) return { error: expression.failure };
  try {
    return expression.evaluate(variables);
  } catch (error) {
    return { error: errorText(error) };
  }
}
