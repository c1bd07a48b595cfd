import { type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { bodyOf, objectAt, objectsAt, stringAt } from '../../objects/read.ts';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import { failure, forbidden, notFound } from '../../api-server-error.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { type Authorizer, MASTERS } from '../authorizer.ts';
import { missingRules, quotedList } from './missing-rules.ts';
import { type PolicyRule, policyRule, rulesOf } from './policy-rule.ts';
import { aggregate } from './rbac-authorizer.ts';
import { RBAC_GROUP, rulesFor, type RuleResolver } from './rule-resolver.ts';
import { nameOf } from '../../objects/name-of.ts';

export type Escalation = { readonly resolver: RuleResolver; readonly authorize: Authorizer };

type WriteRequest = {
  readonly definition: Pick<ResourceDefinition, 'group' | 'resource'>;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
};

/** One write of a role or binding: `live` is what it changes. */
type Write = {
  readonly request: WriteRequest;
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;
};

const EVERYTHING: readonly PolicyRule[] = [
  policyRule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }),
  policyRule({ verbs: ['*'], nonResourceURLs: ['*'] }),
];
const ROLES = ['roles', 'clusterroles'];
const BINDINGS = ['rolebindings', 'clusterrolebindings'];

/**
 * Throws where a user would give, or get, more than they have by writing a role or a binding. It lets other writes pass.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export function preventEscalation(
  escalation: Escalation,
): (request: WriteRequest, object: KubeObject, live: KubeObject | undefined) => void {
  return (request, object, live) => {
    const { group, resource } = request.definition;
    if (group !== RBAC_GROUP || ![...ROLES, ...BINDINGS].includes(resource)) return;
    if (request.user.groups.includes(MASTERS)) return;
    if (live !== undefined && onlyForCollector(object, live)) return;
    const check = ROLES.includes(resource) ? checkRole : checkBinding;
    check(escalation, { request, object, live });
  };
}

/** Changes owners and finalizers only, as the garbage collector does. */
function onlyForCollector(object: KubeObject, live: KubeObject): boolean {
  return jsonEqual(withoutCollectors(object), withoutCollectors(live));
}

function withoutCollectors(object: KubeObject): JsonObject {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function checkRole(escalation: Escalation, { request, object, live }: Write): void {
  const { definition, namespace, name, user } = request;
  const { resource } = definition;
  const access = { group: RBAC_GROUP, resource, subresource: '', namespace, name };
  if (escalation.authorize({ user, info: { verb: 'escalate', path: '', resource: access } }).allowed) return;
  const why = escalationText(escalation, request, rulesOf(object));
  if (why !== undefined) throw forbidden(definition, nameOf(object), why);
  if (!aggregates(object) && !(live !== undefined && aggregates(live))) return;
  if (escalationText(escalation, request, EVERYTHING) === undefined) return;
  const masters = 'must have cluster-admin privileges to use the aggregationRule';
  throw forbidden(definition, nameOf(object), masters);
}

function aggregates(role: KubeObject): boolean {
  return objectsAt(objectAt(bodyOf(role), 'aggregationRule'), 'clusterRoleSelectors').length > 0;
}

function checkBinding(escalation: Escalation, { request, object }: Write): void {
  const { definition, namespace, user } = request;
  const reference = objectAt(bodyOf(object), 'roleRef');
  const [kind, name] = [stringAt(reference, 'kind'), stringAt(reference, 'name')];
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    throw failure(500, '', `unsupported role reference kind: ${JSON.stringify(kind)}`);
  }
  const resource = `${kind.toLowerCase()}s`;
  const access = { group: stringAt(reference, 'apiGroup'), resource, subresource: '', namespace, name };
  if (escalation.authorize({ user, info: { verb: 'bind', path: '', resource: access } }).allowed) return;
  const rules = escalation.resolver.rulesOfRole({ roleKind: kind, roleName: name, namespace });
  // The real one looks for the role under the name of the resource that is written.
  if (rules === undefined) throw notFound(definition, name);
  const why = escalationText(escalation, request, rules);
  if (why !== undefined) throw forbidden(definition, nameOf(object), why);
}

/** Why the user may not grant these rules; undefined when they have them all. */
function escalationText(
  { resolver }: Escalation,
  { user, namespace, definition }: WriteRequest,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, dangling } = rulesFor(resolver, user, namespace);
  const missing = missingRules(rules, wanted);
  if (missing.length === 0) return undefined;
  const who = `user ${JSON.stringify(user.username)} (groups=${quotedList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`;
  if (dangling.length === 0) return text;
  const lost = dangling.map(({ roleName }) => `${definition.resource}.${RBAC_GROUP} "${roleName}" not found`);
  return `${text}; resolution errors: [${aggregate(lost)}]`;
}
