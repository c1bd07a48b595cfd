import { type JsonObject, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { inVersion } from '../../model/in-version.ts';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import { maybeObject, stringAt } from '../../objects/read.ts';
import { objectKey } from '../../storage/stored-object.ts';
import type { MatchContext } from '../matching/match-write.ts';
import type { Policy } from './policy.ts';

/** Why a policy or a binding cannot be used as it is. */
export type Misconfigured = { readonly misconfigured: string };

/** The resource of a policy's `paramKind`; undefined: it has none. */
export function paramResource(
  context: Pick<MatchContext, 'registry'>,
  { paramKind }: Pick<Policy, 'paramKind'>,
): ResourceDefinition | Misconfigured | undefined {
  if (paramKind === undefined) return undefined;
  const { group, version } = parseApiVersion(paramKind.apiVersion);
  const { kind } = paramKind;
  const found = context.registry
    .all()
    .find((one) => one.group === group && one.version === version && one.kind === kind);
  const shown = `${group}/${version}, Kind=${kind}`;
  return found ?? { misconfigured: `failed to find resource referenced by paramKind: '${shown}'` };
}

/**
 * What a binding refers to, in the version that its policy names: the policy is evaluated once for each, and once with
 * null where nothing is to be read. `namespace`: that of the write, where the binding names none.
 */
export function paramsOf(
  context: MatchContext,
  resource: ResourceDefinition | undefined,
  reference: JsonObject | undefined,
  namespace: string,
): readonly (KubeObject | null)[] | Misconfigured {
  if (resource === undefined || reference === undefined) return [null];
  const place = placeOf(resource, reference, namespace);
  if (typeof place !== 'string') return place;
  const found = referred(context, resource, reference, place);
  if (found.length === 0 && stringAt(reference, 'parameterNotFoundAction') === 'Deny')
    return { misconfigured: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  return found.map((object) => inVersion(object, resource));
}

/** The namespace of the parameters; empty for those that are in none. */
function placeOf(
  { namespaced }: ResourceDefinition,
  reference: JsonObject,
  namespace: string,
): string | Misconfigured {
  const named = stringAt(reference, 'namespace');
  if (!namespaced)
    return named === ''
      ? ''
      : { misconfigured: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  const place = named === '' ? namespace : named;
  return place === ''
    ? {
        misconfigured:
          'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
      }
    : place;
}

function referred(
  { store }: MatchContext,
  { group, resource }: ResourceDefinition,
  reference: JsonObject,
  namespace: string,
): readonly KubeObject[] {
  const collection = store.collection(group, resource);
  const name = stringAt(reference, 'name');
  if (name !== '') {
    const found = collection.get(objectKey(namespace, name));
    return found === undefined ? [] : [found.object];
  }
  const selector = selectorFromLabelSelector(maybeObject(reference, 'selector') ?? {});
  return collection.entries
    .map(({ object }) => object)
    .filter((object) => (object.metadata.namespace ?? '') === namespace)
    .filter((object) => matchesLabels(selector, object.metadata.labels));
}
