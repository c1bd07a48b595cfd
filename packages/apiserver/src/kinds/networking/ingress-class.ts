import type { networkingv1 } from '@kubewright/kube';
import { isDns1123Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors, specField } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { generationOfChanges } from '../../model/status-strategy.ts';
import { changeObject, defaults, inField } from '../../objects/change-object.ts';
import { validateTypedReference } from './validate-typed-reference.ts';

type Spec = networkingv1.IngressClassSpec;
type Parameters = networkingv1.IngressClassParametersReference;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const LONGEST = 250;

const clusterScope = inField('spec', inField<Spec>('parameters', defaults<Parameters>({ scope: 'Cluster' })));

/** `networking.k8s.io/v1 IngressClass`. */
export const ingressClass: Strategy = {
  default: (object) => changeObject(object, clusterScope),
  ...generationOfChanges(),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...specErrors(validateSpec, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...specErrors<Spec>((spec) => spec.immutable(specField(old), 'controller'), object),
    ...validateObjectMeta(object, RULES),
    ...specErrors(validateSpec, object),
  ],
};

function validateSpec(spec: Field<Spec>): void {
  validateController(spec.at('controller'));
  const parameters = spec.maybeAt('parameters');
  if (parameters !== undefined) validateParameters(parameters);
}

/** `IsDomainPrefixedPath`: `example.com/ingress`. */
function validateController(controller: Field<string>): void {
  const text = controller.asText;
  if (text.length > LONGEST) controller.addTooLong(LONGEST);
  if (text === '') return controller.addRequired('');
  const slash = text.indexOf('/');
  const domain = text.slice(0, slash);
  if (slash < 1 || slash === text.length - 1)
    return controller.addInvalid('must be a domain-prefixed path (such as "acme.io/foo")');
  for (const message of isDns1123Subdomain(domain)) controller.addInvalid(message, { value: domain });
}

function validateParameters(parameters: Field<Parameters>): void {
  const namespace = parameters.at('namespace');
  validateTypedReference(parameters);
  parameters.oneOf('scope', ['Cluster', 'Namespace']);
  if (parameters.is('scope', 'Cluster') && parameters.maybeText('namespace') !== undefined)
    namespace.addForbidden("`parameters.scope` is set to 'Cluster'");
  if (!parameters.is('scope', 'Namespace')) return;
  if (parameters.maybeText('namespace') !== undefined) namespace.mustMatch(isDns1123Label);
  else namespace.addRequired("`parameters.scope` is set to 'Namespace'");
}
