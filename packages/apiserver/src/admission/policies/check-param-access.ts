import { compareText, jsonEqual, type JsonObject, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { invalid } from '../../api-server-error.ts';
import { nameOf } from '../../objects/name-of.ts';
import { bodyOf, maybeObject, objectAt, stringAt } from '../../objects/read.ts';
import type { ResourceRequest } from '../../rest/resource-request.ts';
import type { RestContext } from '../../rest/rest-context.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { type Authorizer, MASTERS } from '../../auth/authorizer.ts';
import { paramResource } from './params-of.ts';
import { GROUP } from './policy-source.ts';

type Context = Pick<RestContext, 'registry' | 'store'> & { readonly authorize: Authorizer };
type Request = Pick<ResourceRequest, 'definition' | 'user' | 'subresource'>;
type Target = { readonly verb: string; readonly name: string; readonly namespace: string };

const POLICIES = 'validatingadmissionpolicies';
const BINDINGS = 'validatingadmissionpolicybindings';
const ANY = { group: '*', resource: '*' };

/**
 * Throws where a user writes a policy about objects that they may not read, whose content its messages would show
 * them. It lets other writes pass.
 */
export function checkParamAccess(
  context: Context,
): (request: Request, object: KubeObject, live: KubeObject | undefined) => void {
  return (request, object, live) => {
    const { group, resource } = request.definition;
    if (group !== GROUP || request.subresource !== '' || request.user.groups.includes(MASTERS)) return;
    const [spec, old] = [specOf(object), live === undefined ? {} : specOf(live)];
    const why =
      resource === POLICIES
        ? policyFault(context, request.user, spec, old)
        : resource === BINDINGS
          ? bindingFault(context, request.user, spec, old)
          : undefined;
    if (why === undefined) return;
    const path = resource === POLICIES ? 'spec.paramKind' : 'spec.paramRef';
    throw invalid(request.definition, nameOf(object), [fieldErrors.forbidden(path, why)]);
  };
}

function specOf(object: KubeObject): JsonObject {
  return objectAt(bodyOf(object), 'spec');
}

function policyFault(
  context: Context,
  user: UserInfo,
  spec: JsonObject,
  old: JsonObject,
): string | undefined {
  const kind = maybeObject(spec, 'paramKind');
  if (kind === undefined || jsonEqual(kind, objectAt(old, 'paramKind'))) return undefined;
  const target = { verb: 'get', name: '*', namespace: '*' };
  if (mayRead(context, user, resourceOf(context, kind), target)) return undefined;
  const shown = `(kind=${stringAt(kind, 'kind')}, apiVersion=${stringAt(kind, 'apiVersion')})`;
  return `user ${goUser(user)} must have "get" permission on all objects of the referenced paramKind ${shown}`;
}

function bindingFault(
  context: Context,
  user: UserInfo,
  spec: JsonObject,
  old: JsonObject,
): string | undefined {
  const reference = maybeObject(spec, 'paramRef');
  const policyName = stringAt(spec, 'policyName');
  const isKnown =
    jsonEqual(reference ?? {}, objectAt(old, 'paramRef')) && policyName === stringAt(old, 'policyName');
  if (reference === undefined || isKnown) return undefined;
  const policy = context.store.collection(GROUP, POLICIES).get(policyName);
  const kind = policy === undefined ? undefined : maybeObject(specOf(policy.object), 'paramKind');
  const name = stringAt(reference, 'name');
  const verb = name === '' ? 'list' : 'get';
  const target = { verb, name, namespace: stringAt(reference, 'namespace') };
  if (mayRead(context, user, kind === undefined ? ANY : resourceOf(context, kind), target)) return undefined;
  const least = `to determine minimum required permissions and user ${goUser(user)} does not have "${verb}" permission for all groups, versions and resources`;
  if (policy === undefined) return `unable to get policy ${policyName} ${least}`;
  return `user ${goUser(user)} does not have "${verb}" permission on the object referenced by paramRef`;
}

/** The resource of a kind; all resources of the group where it is not served. */
function resourceOf(context: Context, kind: JsonObject): typeof ANY {
  const [apiVersion, name] = [stringAt(kind, 'apiVersion'), stringAt(kind, 'kind')];
  const found = paramResource(context, { paramKind: { apiVersion, kind: name } });
  const isServed = found !== undefined && 'resource' in found;
  return { group: parseApiVersion(apiVersion).group, resource: isServed ? found.resource : '*' };
}

function mayRead({ authorize }: Context, user: UserInfo, resource: typeof ANY, target: Target): boolean {
  const { verb, ...place } = target;
  return authorize({ user, info: { verb, path: '', resource: { ...resource, ...place, subresource: '' } } })
    .allowed;
}

/** As Go prints a pointer to a user. */
function goUser({ username, uid = '', groups, extra = {} }: UserInfo): string {
  const further = Object.entries(extra)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${username} ${uid} [${groups.join(' ')}] map[${further.join(' ')}]}`;
}
