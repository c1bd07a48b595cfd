import { inVersion } from '../../model/in-version.ts';
import { converting } from '../../rest/converting.ts';
import type { RestContext } from '../../rest/rest-context.ts';
import type { Steps } from '../../request/steps.ts';
import { isNamespace } from '../../rest/namespace-lifecycle.ts';
import type { KubeObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { Hook } from './hook.ts';
import { matchesRule, type RuleTarget } from './matches-rule.ts';

/** A webhook that is to be called, and the version in which it sees the objects. */
export type Invocation = {
  readonly hook: Hook;
  readonly resource: ResourceDefinition;
  readonly kind: ResourceDefinition;
};

/** The namespace of a write; of one on a Namespace itself its name. */
export function namespaceOf({ request, name }: AdmissionAttributes): string {
  return isNamespace(request.definition) ? name : request.namespace;
}

/** The webhook with the version that its rules name; undefined where no rule matches the write. */
export function invocationOf(
  { registry }: Pick<RestContext, 'registry'>,
  hook: Hook,
  attributes: AdmissionAttributes,
): Invocation | undefined {
  const { definition, subresource } = attributes.request;
  const target = (resource: ResourceDefinition): RuleTarget => ({
    operation: attributes.operation,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    subresource,
    namespace: namespaceOf(attributes),
  });
  const own = target(definition);
  if (hook.rules.some((rule) => matchesRule(rule, own)))
    return { hook, resource: definition, kind: attributes.kind };
  if (!hook.equivalent) return undefined;
  const others = registry
    .versions(definition.group, definition.resource)
    .filter(({ version }) => version !== definition.version);
  for (const rule of hook.rules) {
    const other = others.find((version) => matchesRule(rule, target(version)));
    if (other === undefined) continue;
    return { hook, resource: other, kind: attributes.kind === definition ? other : attributes.kind };
  }
  return undefined;
}

/** Has the objects of a write converted to the version in which the webhook sees them. */
export function* inHookVersions(
  context: Pick<RestContext, 'convert'>,
  invocation: Invocation,
  { object, oldObject }: AdmissionAttributes,
): Steps<void> {
  yield* converting(context, () => {
    inHookVersion(invocation, object);
    inHookVersion(invocation, oldObject);
  });
}

/** An object as the webhook sees it. */
export function inHookVersion({ kind }: Invocation, object: KubeObject | undefined): KubeObject | undefined {
  return object === undefined ? undefined : inVersion(object, kind);
}

/** What a webhook made of an object, in the version of the write. */
export function backFrom({ kind }: Invocation, mutated: KubeObject, object: KubeObject): KubeObject {
  const { conversion } = kind;
  const { apiVersion } = object;
  if (conversion === undefined || mutated.apiVersion === apiVersion) return { ...mutated, apiVersion };
  return conversion.of(mutated, apiVersion);
}
