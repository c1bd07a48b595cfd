import type { Operation } from '../../rest/admission-attributes.ts';
import type { Rule } from './criteria.ts';

/** What of a write rules look at. */
export type RuleTarget = {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Of an object in a namespace that namespace, of a Namespace its own name, else empty. */
  readonly namespace: string;
  /** Empty while it is to be generated. */
  readonly name: string;
};

export function matchesRule(rule: Rule, target: RuleTarget): boolean {
  return (
    lists(rule.operations, target.operation) &&
    lists(rule.groups, target.group) &&
    lists(rule.versions, target.version) &&
    hasScope(rule.scope, target) &&
    (rule.names.length === 0 || rule.names.includes(target.name)) &&
    rule.resources.some((text) => names(text, target))
  );
}

function lists(items: readonly string[], wanted: string): boolean {
  return items.includes('*') || items.includes(wanted);
}

/** A Namespace is no object in a namespace. */
function hasScope(scope: string, { group, resource, namespace }: RuleTarget): boolean {
  const cluster = namespace === '' || (group === '' && resource === 'namespaces');
  if (scope === 'Cluster') return cluster;
  return scope === 'Namespaced' ? !cluster : true;
}

function names(text: string, { resource, subresource }: RuleTarget): boolean {
  const slash = text.indexOf('/');
  const wanted = slash < 0 ? text : text.slice(0, slash);
  const part = slash < 0 ? '' : text.slice(slash + 1);
  return (wanted === '*' || wanted === resource) && (part === '*' || part === subresource);
}
