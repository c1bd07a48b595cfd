import type { admissionregistrationv1 } from '@kubewright/kube';
import { isPathSegmentName } from '@kubewright/kube/validation';
import { type Change, defaults, inItems, inOrder } from '../../objects/change-object.ts';
import type { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateRules } from './validate-rules.ts';

type Resources = admissionregistrationv1.MatchResources;

const ruleDefaults = defaults<admissionregistrationv1.NamedRuleWithOperations>({ scope: '*' });

/** Of the writes that a policy or a binding is about. */
export const matchResourcesDefaults: Change = inOrder(
  defaults<Resources>({ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  inItems<Resources>('resourceRules', ruleDefaults),
  inItems<Resources>('excludeResourceRules', ruleDefaults),
);

/** `validateMatchResources` of `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`. */
export function validateMatchResources(resources: Field<Resources>): void {
  resources.oneOf('matchPolicy', ['Equivalent', 'Exact']);
  for (const key of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = resources.at(key);
    selector.add(validateLabelSelector(selector.object, selector.path));
  }
  for (const key of ['resourceRules', 'excludeResourceRules'] as const)
    for (const rule of resources.items(key)) validateNamedRule(rule);
}

function validateNamedRule(rule: Field<admissionregistrationv1.NamedRuleWithOperations>): void {
  const isRepeated = repeats();
  for (const name of rule.items('resourceNames')) {
    name.mustMatch(isPathSegmentName);
    name.mustBeNew(isRepeated);
  }
  validateRules(rule);
}
