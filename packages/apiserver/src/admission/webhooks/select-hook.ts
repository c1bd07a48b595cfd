import type { KubeObject } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import type { Authorizer } from '../../auth/authorizer.ts';
import { notFound } from '../../api-server-error.ts';
import type { RestContext } from '../../rest/rest-context.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { Hook } from './hook.ts';
import { type Invocation, invocationOf, namespaceOf } from './invocation.ts';
import { meetsConditions } from './meets-conditions.ts';

/** What selecting looks at beside the write. */
export type Selection = Pick<RestContext, 'registry' | 'store'> & { readonly authorize: Authorizer };

const NAMESPACES = { group: '', resource: 'namespaces' };

/** Whether and how a webhook is to be called for a write. Throws where that cannot be determined. */
export function selectHook(
  context: Selection,
  hook: Hook,
  attributes: AdmissionAttributes,
): Invocation | undefined {
  const invocation = invocationOf(context, hook, attributes);
  if (invocation === undefined) return undefined;
  const { object, oldObject } = attributes;
  const selected =
    hook.objectSelector.length === 0 || isSelected(hook, object) || isSelected(hook, oldObject);
  if (!selected || !inSelectedNamespace(context, hook, attributes)) return undefined;
  return meetsConditions(context.authorize, invocation, attributes) ? invocation : undefined;
}

function isSelected({ objectSelector }: Hook, object: KubeObject | undefined): boolean {
  return object !== undefined && matchesLabels(objectSelector, object.metadata.labels);
}

/** Objects outside of namespaces are not exempted by a selector of namespaces. */
function inSelectedNamespace(context: Selection, hook: Hook, attributes: AdmissionAttributes): boolean {
  const { definition } = attributes.request;
  const namespace = namespaceOf(attributes);
  if (namespace === '' && definition.resource !== 'namespaces') return true;
  if (hook.namespaceSelector.length === 0) return true;
  return matchesLabels(hook.namespaceSelector, namespaceLabels(context, attributes, namespace));
}

/** A Namespace that is written is matched by its new labels. */
function namespaceLabels(
  { store }: Selection,
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
