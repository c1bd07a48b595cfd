import { type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { isDns1123Subdomain, isPathSegmentName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  inside,
  invalid,
  invalidFor,
  NONE,
  type NameCheck,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, itemsAt, maybeObject, objectAt, objectsAt, stringAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import {
  type Change,
  changeObject,
  inItems,
  inOrder,
  orDefault,
  withField,
} from '../../objects/change-object.ts';
import { isUsable } from '../../pods/validate-template.ts';

const GROUP = 'rbac.authorization.k8s.io';
/** Names of roles and bindings may hold whatever a path segment may. */
const rbacName: NameCheck = (name) => isPathSegmentName(name);

export const role: Strategy = roleStrategy(true);
export const clusterRole: Strategy = roleStrategy(false);
export const roleBinding: Strategy = bindingStrategy(true);
export const clusterRoleBinding: Strategy = bindingStrategy(false);

function roleStrategy(namespaced: boolean): Strategy {
  const validate = (object: KubeObject): Errors => [
    ...validateObjectMeta(object, { namespaced, name: rbacName }),
    ...each(objectsAt(bodyOf(object), 'rules'), 'rules', (rule, at) => validateRule(rule, at, namespaced)),
    ...validateAggregation(bodyOf(object)),
  ];
  return {
    validateCreate: validate,
    validateUpdate: (object, old) => [...validate(object), ...validateObjectMetaUpdate(object, old)],
  };
}

function validateRule(rule: JsonObject, path: string, namespaced: boolean): Errors {
  const verbs = required(
    itemsAt(rule, 'verbs').length > 0,
    `${path}.verbs`,
    'verbs must contain at least one value',
  );
  const urls = itemsAt(rule, 'nonResourceURLs');
  const [groups, resources, names] = ['apiGroups', 'resources', 'resourceNames'].map(
    (key) => itemsAt(rule, key).length,
  );
  if (urls.length > 0) {
    const both = 'rules cannot apply to both regular resources and non-resource URLs';
    const at = `${path}.nonResourceURLs`;
    return [
      ...verbs,
      ...invalid(namespaced, at, urls, 'namespaced rules cannot apply to non-resource URLs'),
      ...invalid((groups ?? 0) + (resources ?? 0) + (names ?? 0) > 0, at, urls, both),
    ];
  }
  return [
    ...verbs,
    ...required(groups !== 0, `${path}.apiGroups`, 'resource rules must supply at least one api group'),
    ...required(resources !== 0, `${path}.resources`, 'resource rules must supply at least one resource'),
  ];
}

function validateAggregation(body: JsonObject): Errors {
  const at = 'aggregationRule.clusterRoleSelectors';
  return inside(maybeObject(body, 'aggregationRule'), (rule) => [
    ...required(
      objectsAt(rule, 'clusterRoleSelectors').length > 0,
      at,
      'at least one clusterRoleSelector required if aggregationRule is non-nil',
    ),
    ...each(objectsAt(rule, 'clusterRoleSelectors'), at, (selector, path) => [
      ...validateLabelSelector(selector, path),
      ...invalid(!isUsable(selector), path, null, 'invalid label selector.'),
    ]),
  ]);
}

const subjectDefaults: Change = (subject) =>
  ['User', 'Group'].includes(stringAt(subject, 'kind')) ? orDefault(subject, 'apiGroup', GROUP) : subject;

const bindingDefaults: Change = inOrder(
  (body) => withField(body, 'roleRef', orDefault(objectAt(body, 'roleRef'), 'apiGroup', GROUP)),
  inItems('subjects', subjectDefaults),
);

function bindingStrategy(namespaced: boolean): Strategy {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const validate = (object: KubeObject): Errors => [
    ...validateObjectMeta(object, { namespaced, name: rbacName }),
    ...validateReference(objectAt(bodyOf(object), 'roleRef'), kinds),
    ...each(objectsAt(bodyOf(object), 'subjects'), 'subjects', (subject, at) =>
      validateSubject(subject, at, namespaced),
    ),
  ];
  return {
    default: (object) => changeObject(object, bindingDefaults),
    validateCreate: validate,
    validateUpdate: (object, old) => [
      ...validate(object),
      ...validateObjectMetaUpdate(object, old),
      ...validateSameRole(objectAt(bodyOf(object), 'roleRef'), objectAt(bodyOf(old), 'roleRef')),
    ],
  };
}

function validateReference(reference: JsonObject, kinds: readonly string[]): Errors {
  const name = stringAt(reference, 'name');
  return [
    ...oneOf(stringAt(reference, 'apiGroup'), 'roleRef.apiGroup', [GROUP]),
    ...oneOf(stringAt(reference, 'kind'), 'roleRef.kind', kinds),
    ...(name === ''
      ? required(false, 'roleRef.name')
      : invalidFor('roleRef.name', name, isPathSegmentName(name))),
  ];
}

/** A binding is to one role for life. */
function validateSameRole(reference: JsonObject, old: JsonObject): Errors {
  const differs = !jsonEqual(reference, old);
  return showing('rbac.RoleRef', invalid(differs, 'roleRef', reference, 'cannot change roleRef'));
}

function validateSubject(subject: JsonObject, path: string, namespaced: boolean): Errors {
  const [kind, name, group] = [
    stringAt(subject, 'kind'),
    stringAt(subject, 'name'),
    stringAt(subject, 'apiGroup'),
  ];
  const named = required(name !== '', `${path}.name`);
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...named,
        ...(name === '' ? NONE : invalidFor(`${path}.name`, name, isDns1123Subdomain(name))),
        ...oneOf(group, `${path}.apiGroup`, ['']),
        ...required(namespaced || stringAt(subject, 'namespace') !== '', `${path}.namespace`),
      ];
    case 'User':
    case 'Group':
      return [...named, ...oneOf(group, `${path}.apiGroup`, [GROUP])];
    default:
      return [...named, ...oneOf(kind, `${path}.kind`, ['ServiceAccount', 'User', 'Group'])];
  }
}
