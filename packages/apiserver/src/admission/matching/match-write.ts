import type { KubeObject } from '@kubewright/kube';
import { type LabelSelector, matchesLabels } from '@kubewright/kube/selectors';
import { notFound } from '../../api-server-error.ts';
import { inVersion } from '../../model/in-version.ts';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { converting } from '../../rest/converting.ts';
import { isNamespace } from '../../rest/namespace-lifecycle.ts';
import type { RestContext } from '../../rest/rest-context.ts';
import type { Steps } from '../../request/steps.ts';
import type { Criteria, Rule } from './criteria.ts';
import { matchesRule, type RuleTarget } from './matches-rule.ts';

/** What matching looks at beside the write. */
export type MatchContext = Pick<RestContext, 'registry' | 'store'>;

/** The resource that a rule matched, and the kind in whose version the objects of the write are seen. */
export type Match = { readonly resource: ResourceDefinition; readonly kind: ResourceDefinition };

const NAMESPACES = { group: '', resource: 'namespaces' };

/** The namespace of a write; of one on a Namespace itself its name. */
export function namespaceOf({ request, name }: AdmissionAttributes): string {
  return isNamespace(request.definition) ? name : request.namespace;
}

/** Whether criteria are met, and by which version of the resource. Throws where that cannot be determined. */
export function matchWrite(
  context: MatchContext,
  criteria: Criteria,
  attributes: AdmissionAttributes,
): Match | undefined {
  const match = matchRules(context, criteria.rules, criteria, attributes);
  if (match === undefined || matchRules(context, criteria.excluded, criteria, attributes) !== undefined)
    return undefined;
  return isSelected(context, criteria, attributes) ? match : undefined;
}

/** As {@link matchWrite} for a binding, which need not have rules: then it matches what its policy matches. */
export function meetsCriteria(
  context: MatchContext,
  criteria: Criteria,
  attributes: AdmissionAttributes,
): boolean {
  if (criteria.rules.length > 0) return matchWrite(context, criteria, attributes) !== undefined;
  if (matchRules(context, criteria.excluded, criteria, attributes) !== undefined) return false;
  return isSelected(context, criteria, attributes);
}

function matchRules(
  { registry }: MatchContext,
  rules: readonly Rule[],
  { equivalent }: Criteria,
  attributes: AdmissionAttributes,
): Match | undefined {
  const { definition, subresource } = attributes.request;
  const target = (resource: ResourceDefinition): RuleTarget => ({
    operation: attributes.operation,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    subresource,
    namespace: namespaceOf(attributes),
    name: attributes.name,
  });
  const own = target(definition);
  if (rules.some((rule) => matchesRule(rule, own))) return { resource: definition, kind: attributes.kind };
  if (!equivalent || rules.length === 0) return undefined;
  const others = registry
    .versions(definition.group, definition.resource)
    .filter(({ version }) => version !== definition.version);
  for (const rule of rules) {
    const other = others.find((version) => matchesRule(rule, target(version)));
    if (other !== undefined)
      return { resource: other, kind: attributes.kind === definition ? other : attributes.kind };
  }
  return undefined;
}

function isSelected(context: MatchContext, criteria: Criteria, attributes: AdmissionAttributes): boolean {
  const { object, oldObject } = attributes;
  const { objectSelector } = criteria;
  const selected =
    objectSelector.length === 0 || hasLabels(objectSelector, object) || hasLabels(objectSelector, oldObject);
  return selected && inSelectedNamespace(context, criteria, attributes);
}

function hasLabels(selector: LabelSelector, object: KubeObject | undefined): boolean {
  return object !== undefined && matchesLabels(selector, object.metadata.labels);
}

/** Objects outside of namespaces are not exempted by a selector of namespaces. */
function inSelectedNamespace(
  context: MatchContext,
  { namespaceSelector }: Criteria,
  attributes: AdmissionAttributes,
): boolean {
  const { definition } = attributes.request;
  const namespace = namespaceOf(attributes);
  if (namespace === '' && definition.resource !== 'namespaces') return true;
  if (namespaceSelector.length === 0) return true;
  return matchesLabels(namespaceSelector, namespaceLabels(context, attributes, namespace));
}

/** A Namespace that is written is matched by its new labels. */
function namespaceLabels(
  { store }: MatchContext,
  attributes: AdmissionAttributes,
  name: string,
): KubeObject['metadata']['labels'] {
  const { request, operation, object } = attributes;
  const writesIt = request.definition.resource === 'namespaces' && request.subresource === '';
  if (writesIt && operation !== 'DELETE') return object?.metadata.labels;
  const found = store.collection('', 'namespaces').get(name);
  if (found === undefined) throw notFound(NAMESPACES, name);
  return found.object.metadata.labels;
}

/** Has the objects of a write converted to the version in which they are seen. */
export function* inMatchedVersions(
  context: Pick<RestContext, 'convert'>,
  match: Match,
  { object, oldObject }: AdmissionAttributes,
): Steps<void> {
  yield* converting(context, () => {
    inMatchedVersion(match, object);
    inMatchedVersion(match, oldObject);
  });
}

/** An object in the version in which it is seen. */
export function inMatchedVersion({ kind }: Match, object: KubeObject | undefined): KubeObject | undefined {
  return object === undefined ? undefined : inVersion(object, kind);
}
