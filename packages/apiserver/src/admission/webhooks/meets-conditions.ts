import { errorText } from '@kubewright/kube';
import { type ConditionVariables, conditionVariables } from '@kubewright/kube/cel';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { forbidden } from '../../api-server-error.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { admissionRequest } from './admission-review.ts';
import type { HookCondition } from './hook.ts';
import { inHookVersion, type Invocation } from './invocation.ts';

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
  variables: ConditionVariables,
): boolean | { readonly error: string } {
  if ('failure' in expression) return { error: expression.failure };
  try {
    return expression.evaluate(variables);
  } catch (error) {
    return { error: errorText(error) };
  }
}

function variablesOf(
  authorize: Authorizer,
  invocation: Invocation,
  attributes: AdmissionAttributes,
): ConditionVariables {
  const { request, object, oldObject, name } = attributes;
  const { definition, namespace, subresource, user } = request;
  return conditionVariables({
    object: inHookVersion(invocation, object) ?? null,
    oldObject: inHookVersion(invocation, oldObject) ?? null,
    request: admissionRequest(invocation, attributes),
    requested: { group: definition.group, resource: definition.resource, subresource, namespace, name },
    authorize: ({ verb, path = '', ...resource }, account) =>
      authorize({
        user: account === undefined ? user : serviceAccount(account),
        info: path === '' ? { verb, path, resource } : { verb, path },
      }),
  });
}

/** As its tokens would authenticate it; `username` is `system:serviceaccount:namespace:name`. */
function serviceAccount(username: string): UserInfo {
  const [namespace = ''] = username.split(':').slice(2);
  return { username, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] };
}
