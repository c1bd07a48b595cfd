import type { admissionregistrationv1 } from '@kubewright/kube';
import type { Field } from '../../validation/field.ts';

type Rule = Field<admissionregistrationv1.RuleWithOperations>;

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** One rule of a webhook: which operations on which resources it wants to see. */
export function validateRules(rule: Rule): void {
  validateAloneIfAll(rule, 'operations', 'operations');
  for (const operation of rule.items('operations')) operation.mustBeOneOf(OPERATIONS);
  validateAloneIfAll(rule, 'apiGroups', 'API groups');
  validateAloneIfAll(rule, 'apiVersions', 'API versions');
  for (const version of rule.items('apiVersions')) if (version.asText === '') version.addRequired();
  validateResources(rule);
  rule.oneOfIfSet('scope', ['*', 'Cluster', 'Namespaced']);
}

/** A list that must not be empty, and where `*` means all others. */
function validateAloneIfAll(rule: Rule, key: 'operations' | 'apiGroups' | 'apiVersions', what: string): void {
  const [list, value] = [rule.at(key), rule.texts(key)];
  if (value.length === 0) list.addRequired();
  if (value.length > 1 && value.includes('*'))
    list.addInvalid(`if '*' is present, must not specify other ${what}`, { value });
}

function validateResources(rule: Rule): void {
  const [resources, value] = [rule.at('resources'), rule.texts('resources')];
  if (value.length === 0) resources.addRequired();
  validateOverlaps(rule.items('resources'));
  if (value.length > 1 && value.includes('*/*'))
    resources.addInvalid("if '*/*' is present, must not specify other resources", { value });
  if (value.includes('*') && lastPlainIsNamed(value)) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    resources.addInvalid(detail, { value });
  }
}

/** Only the last resource without a subresource counts: so it is upstream. */
function lastPlainIsNamed(resources: readonly string[]): boolean {
  const last = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  return last !== undefined && last !== '*';
}

/** `pods/*` covers a later `pods/status`. */
function validateOverlaps(resources: readonly Field<string>[]): void {
  const [allOf, ofAll] = [new Set<string>(), new Set<string>()];
  for (const item of resources) {
    const text = item.asText;
    if (text === '') item.addRequired();
    const [, resource, subresource] = /^([^/]*)\/(.*)$/s.exec(text) ?? [];
    if (resource === undefined || subresource === undefined) continue;
    if (allOf.has(resource)) item.addInvalid(`if '${resource}/*' is present, must not specify ${text}`);
    if (ofAll.has(subresource)) item.addInvalid(`if '*/${subresource}' is present, must not specify ${text}`);
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
  }
}
