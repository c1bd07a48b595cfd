import type { RecordedRequest } from '@kubewright/apiserver';
import type { PolicyRule } from '@kubewright/operators';
import type { Right } from './rights.ts';

const [FORBIDDEN, CREATED] = [403, 201];

/** What a request needs one right for. */
type Access = Omit<RecordedRequest, 'method' | 'status'>;

/**
 * The rights without which one of the requests would have been forbidden: those that alone allow it. Of the same right of
 * several parts, which its cache has from all of them, each counts.
 */
export function rightsUsed(
  rights: readonly Right[],
  requests: readonly RecordedRequest[],
): ReadonlySet<Right> {
  const used = new Set<Right>();
  const seen = new Set<string>();
  for (const request of requests.filter(({ status }) => status !== FORBIDDEN))
    for (const access of accesses(request)) {
      const { user, verb, group, resource, subresource, name, path } = access;
      const key = JSON.stringify([user, verb, group, resource, subresource, name, resource ?? path]);
      if (seen.has(key)) continue;
      seen.add(key);
      for (const right of neededFor(access, rights)) used.add(right);
    }
  return used;
}

/** What is applied is created where it is not there. */
function accesses(request: RecordedRequest): readonly Access[] {
  const creates = request.verb === 'patch' && request.status === CREATED;
  return creates ? [request, { ...request, verb: 'create' }] : [request];
}

function neededFor(access: Access, rights: readonly Right[]): readonly Right[] {
  const allowing = rights.filter(({ users, rule }) => users.includes(access.user) && allows(rule, access));
  const texts = new Set(allowing.map(({ name }) => name.slice(name.indexOf(':'))));
  const isRead = access.verb === 'list' || access.verb === 'watch';
  return allowing.length === 1 || (isRead && texts.size === 1) ? allowing : [];
}

function allows(rule: PolicyRule, access: Access): boolean {
  if (!rule.verbs.includes(access.verb)) return false;
  if (access.resource === undefined) return has(rule.nonResourceURLs, access.path.split('?')[0]);
  const isNamed = rule.resourceNames === undefined || has(rule.resourceNames, access.name);
  return isNamed && has(rule.apiGroups, access.group) && has(rule.resources, targetOf(access));
}

function has(values: readonly string[] = [], value = ''): boolean {
  return values.includes(value);
}

function targetOf({ resource = '', subresource = '' }: Access): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}
