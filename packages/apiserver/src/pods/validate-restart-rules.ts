import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, each, invalid, NONE, oneOf, required, requiredOneOf } from '../validation/errors.ts';
import { itemsAt, maybeObject, maybeString, objectsAt, stringAt } from '../objects/read.ts';

/** `restartPolicy` and `restartPolicyRules` of one container (KEP-5307). */
export function validateRestartRules(container: JsonObject, path: string): Errors {
  const policy = maybeString(container, 'restartPolicy');
  const rules = objectsAt(container, 'restartPolicyRules');
  if (policy === undefined) {
    return required(
      rules.length === 0,
      `${path}.restartPolicy`,
      'must specify restartPolicy when restart rules are used',
    );
  }
  return [
    ...oneOf(policy, `${path}.restartPolicy`, ['Always', 'Never', 'OnFailure']),
    ...tooMany(rules.length, 20, `${path}.restartPolicyRules`),
    ...each(rules, `${path}.restartPolicyRules`, validateRule),
  ];
}

function tooMany(count: number, limit: number, path: string): Errors {
  return count > limit ? [fieldErrors.tooMany(path, count, limit)] : NONE;
}

function validateRule(rule: JsonObject, path: string): Errors {
  const codes = maybeObject(rule, 'exitCodes');
  return [
    ...oneOf(stringAt(rule, 'action'), `${path}.action`, ['Restart', 'RestartAllContainers']),
    ...(codes === undefined
      ? required(false, `${path}.exitCodes`, 'must be specified')
      : [
          ...oneOf(stringAt(codes, 'operator'), `${path}.exitCodes.operator`, ['In', 'NotIn']),
          ...tooMany(itemsAt(codes, 'values').length, 255, `${path}.exitCodes.values`),
        ]),
  ];
}

/** `resizePolicy`. Errors have the path of the list, but for a duplicate resource. */
export function validateResizePolicies(
  container: JsonObject,
  path: string,
  podRestartPolicy: string,
): Errors {
  const seen = new Set<string>();
  return each(objectsAt(container, 'resizePolicy'), path, (policy, at) => {
    const [resource, action] = [stringAt(policy, 'resourceName'), stringAt(policy, 'restartPolicy')];
    const again = seen.has(resource) ? [fieldErrors.duplicate(at, resource)] : NONE;
    seen.add(resource);
    return [
      ...again,
      ...requiredOneOf(resource, path, ['cpu', 'memory']),
      ...requiredOneOf(action, path, ['NotRequired', 'RestartContainer']),
      ...invalid(
        podRestartPolicy === 'Never' && action !== 'NotRequired',
        path,
        action,
        "must be 'NotRequired' when pod `restartPolicy` is 'Never'",
      ),
    ];
  });
}
