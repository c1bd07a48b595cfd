import { withoutTrailing } from '@kubewright/kube';
import type { Access } from '../authorizer.ts';
import type { PolicyRule } from './policy-rule.ts';

/** Whether a rule allows a request. A rule is either about resources or about paths. */
export function ruleAllows(rule: PolicyRule, { verb, path, resource }: Access): boolean {
  if (!has(rule.verbs, verb)) return false;
  if (resource === undefined) return rule.nonResourceURLs.some((url) => urlCovers(url, path));
  const { resourceNames } = rule;
  return (
    has(rule.apiGroups, resource.group) &&
    rule.resources.some((name) => resourceCovers(name, resource)) &&
    (resourceNames.length === 0 || resourceNames.includes(resource.name))
  );
}

function has(values: readonly string[], wanted: string): boolean {
  return values.includes(wanted) || values.includes('*');
}

/** `*` is every resource and subresource, a `*` before the slash every resource's subresource of that name. */
function resourceCovers(
  name: string,
  { resource, subresource }: { readonly resource: string; readonly subresource: string },
): boolean {
  if (name === '*') return true;
  if (subresource === '') return name === resource;
  return name === `${resource}/${subresource}` || name === `*/${subresource}`;
}

/** A path, or a prefix of paths that ends in `*`. */
export function urlCovers(url: string, path: string): boolean {
  if (url === path) return true;
  return url.endsWith('*') && path.startsWith(withoutTrailing(url, '*'));
}
