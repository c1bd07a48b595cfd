import { jsonEqual, type rbacv1 } from '@kubewright/kube';
import { isDns1123Subdomain, isPathSegmentName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import type { NameCheck } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, stringAt } from '../../objects/read.ts';
import {
  type Change,
  changeObject,
  inItems,
  inOrder,
  inStruct,
  zeroDefaults,
} from '../../objects/change-object.ts';
import { isUsable } from '../../pods/validate-template.ts';

type Rule = Field<rbacv1.PolicyRule>;
type Binding = Field<rbacv1.RoleBinding>;

const GROUP = 'rbac.authorization.k8s.io';
/** Names of roles and bindings may hold whatever a path segment may. */
const rbacName: NameCheck = (name) => isPathSegmentName(name);

export const role: Strategy = roleStrategy(true);
export const clusterRole: Strategy = roleStrategy(false);
export const roleBinding: Strategy = bindingStrategy(true);
export const clusterRoleBinding: Strategy = bindingStrategy(false);

function roleStrategy(namespaced: boolean): Strategy {
  const rules = { namespaced, name: rbacName };
  const validate = (body: Field<rbacv1.ClusterRole>): void => {
    for (const rule of body.items('rules')) validateRule(rule, namespaced);
    const aggregation = body.maybeAt('aggregationRule');
    if (aggregation !== undefined) validateAggregation(aggregation);
  };
  return {
    validateCreate: (object) => [...validateObjectMeta(object, rules), ...objectErrors(validate, object)],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, rules),
      ...objectErrors(validate, object),
      ...validateObjectMetaUpdate(object, old),
    ],
  };
}

function validateRule(rule: Rule, namespaced: boolean): void {
  if (rule.count('verbs') === 0) rule.at('verbs').addRequired('verbs must contain at least one value');
  if (rule.count('nonResourceURLs') > 0) return validateUrls(rule, namespaced);
  if (rule.count('apiGroups') === 0)
    rule.at('apiGroups').addRequired('resource rules must supply at least one api group');
  if (rule.count('resources') === 0)
    rule.at('resources').addRequired('resource rules must supply at least one resource');
}

function validateUrls(rule: Rule, namespaced: boolean): void {
  const urls = rule.at('nonResourceURLs');
  if (namespaced) urls.addInvalid('namespaced rules cannot apply to non-resource URLs');
  if (rule.count('apiGroups') + rule.count('resources') + rule.count('resourceNames') > 0)
    urls.addInvalid('rules cannot apply to both regular resources and non-resource URLs');
}

function validateAggregation(rule: Field<rbacv1.AggregationRule>): void {
  const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  if (rule.count('clusterRoleSelectors') === 0) rule.at('clusterRoleSelectors').addRequired(detail);
  for (const selector of rule.items('clusterRoleSelectors')) {
    selector.check(validateLabelSelector);
    if (!isUsable(selector.object)) selector.addInvalid('invalid label selector.', { value: null });
  }
}

const withGroup = zeroDefaults<rbacv1.RoleRef>({ apiGroup: GROUP });

const subjectDefaults: Change = (subject) =>
  ['User', 'Group'].includes(stringAt(subject, 'kind')) ? withGroup(subject) : subject;

const bindingDefaults: Change = inOrder(
  inStruct<rbacv1.RoleBinding>('roleRef', withGroup),
  inItems('subjects', subjectDefaults),
);

function bindingStrategy(namespaced: boolean): Strategy {
  const rules = { namespaced, name: rbacName };
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const validate = (body: Binding): void => {
    const reference = body.at('roleRef');
    reference.oneOf('apiGroup', [GROUP]);
    reference.oneOf('kind', kinds);
    reference.requireMatch('name', isPathSegmentName);
    for (const subject of body.items('subjects')) validateSubject(subject, namespaced);
  };
  return {
    default: (object) => changeObject(object, bindingDefaults),
    validateCreate: (object) => [...validateObjectMeta(object, rules), ...objectErrors(validate, object)],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, rules),
      ...objectErrors(validate, object),
      ...validateObjectMetaUpdate(object, old),
      ...objectErrors((body: Binding) => validateSameRole(body, new Field(bodyOf(old))), object),
    ],
  };
}

/** A binding is to one role for life. */
function validateSameRole(binding: Binding, old: Binding): void {
  const [reference, { object: value }] = [binding.at('roleRef'), binding.at('roleRef')];
  if (!jsonEqual(value, old.at('roleRef').object))
    reference.addInvalid('cannot change roleRef', { value, as: 'rbac.RoleRef' });
}

function validateSubject(subject: Field<rbacv1.Subject>, namespaced: boolean): void {
  switch (subject.text('kind')) {
    case 'ServiceAccount':
      subject.requireMatch('name', isDns1123Subdomain);
      subject.oneOf('apiGroup', ['']);
      if (!namespaced) subject.requireText('namespace');
      break;
    case 'User':
    case 'Group':
      subject.requireText('name');
      subject.oneOf('apiGroup', [GROUP]);
      break;
    default:
      subject.requireText('name');
      subject.oneOf('kind', ['ServiceAccount', 'User', 'Group']);
  }
}
