import { compareText, type Json, jsonEqual, type JsonObject, type KubeObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import type { Strategy } from '../../model/resource-definition.ts';
import { isStandardQuotaName, validateQuotaAmounts } from '../../pods/validate-resources.ts';
import { type Errors, invalid, nameIsDnsSubdomain, NONE, required } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  itemsAt,
  maybeObject,
  maybeString,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
  valueAt,
} from '../../objects/read.ts';
import { clearStatus, keepOld, STATUS_RESET, statusStrategy } from '../../model/status-strategy.ts';
import { showing } from '../../validation/shown-as.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `v1 ResourceQuota`. */
export const resourceQuota: Strategy = {
  prepareForCreate: clearStatus(),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(specOf(object))],
  validateUpdate: (object, old) => {
    const scopes = (quota: KubeObject): Json =>
      [...new Set(stringsAt(specOf(quota), 'scopes'))].sort(compareText);
    const changed = !jsonEqual(scopes(object), scopes(old));
    const shown = valueAt(specOf(object), 'scopes');
    return [
      ...validateObjectMetaUpdate(object, old),
      ...validateSpec(specOf(object)),
      ...invalid(changed, 'spec.scopes', shown, 'field is immutable'),
    ];
  },
  warnings: (object, old) => (old === undefined ? warningsOf(objectAt(specOf(object), 'hard')) : []),
  resetFields: STATUS_RESET,
};

export const resourceQuotaStatus: Strategy = statusStrategy((object, old) => {
  const status = statusOf(object);
  return [
    ...validateObjectMetaUpdate(object, old),
    ...required((object.metadata.resourceVersion ?? '') !== '', 'resourceVersion'),
    ...validateQuotaAmounts(objectAt(status, 'hard'), 'status.hard'),
    ...validateQuotaAmounts(objectAt(status, 'used'), 'status.used'),
  ];
});

function validateSpec(spec: JsonObject): Errors {
  return [
    ...validateQuotaAmounts(objectAt(spec, 'hard'), 'spec.hard'),
    ...validateScopes(spec),
    ...validateSelector(spec),
  ];
}

const ALWAYS_EXIST = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
];
const SCOPES = [...ALWAYS_EXIST, 'PriorityClass', 'VolumeAttributesClass'];
const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const UNFITTING = 'unsupported scope applied to resource';
const COMPUTE = ['', 'limits.', 'requests.'].flatMap((prefix) => [`${prefix}cpu`, `${prefix}memory`]);

function validateScopes(spec: JsonObject): Errors {
  const scopes = stringsAt(spec, 'scopes');
  const bad = (condition: boolean, detail: string): Errors =>
    invalid(condition, 'spec.scopes', valueAt(spec, 'scopes'), detail);
  return [
    ...scopes.flatMap((scope) => [
      ...bad(!SCOPES.includes(scope), 'unsupported scope'),
      ...unfitting(spec, scope).flatMap(() => bad(true, UNFITTING)),
    ]),
    ...conflicts(spec, scopes, 'spec.scopes'),
  ];
}

function conflicts(spec: JsonObject, scopes: readonly string[], path: string): Errors {
  const shown = valueAt(spec, 'scopes');
  return EXCLUSIVE.flatMap((pair) =>
    invalid(
      pair.every((one) => scopes.includes(one)),
      path,
      shown,
      'conflicting scopes',
    ),
  );
}

/** What is limited though a scope leaves nothing of it. */
function unfitting(spec: JsonObject, scope: string): readonly string[] {
  const names = Object.keys(objectAt(spec, 'hard')).filter(isStandardQuotaName);
  return names.filter((name) => !isValidFor(scope, name));
}

function isValidFor(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass')
    return name === 'persistentvolumeclaims' || name === 'requests.storage';
  return !SCOPES.includes(scope) || name === 'pods' || COMPUTE.includes(name);
}

function validateSelector(spec: JsonObject): Errors {
  const selector = maybeObject(spec, 'scopeSelector');
  if (selector === undefined) return NONE;
  const path = 'spec.scopeSelector.matchExpressions';
  const expressions = objectsAt(selector, 'matchExpressions');
  return [
    ...expressions.flatMap((expression) => {
      const scope = stringAt(expression, 'scopeName');
      return [
        ...invalid(!SCOPES.includes(scope), `${path}.scopeName`, scope, 'unsupported scope'),
        ...showing(
          'core.ScopeSelector',
          unfitting(spec, scope).flatMap(() => invalid(true, path, selector, UNFITTING)),
        ),
        ...validateOperator(expression, scope, path),
      ];
    }),
    ...conflicts(
      spec,
      expressions.map((expression) => stringAt(expression, 'scopeName')),
      path,
    ),
  ];
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
const NEEDS_VALUES = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
const TAKES_NONE = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";

function validateOperator(expression: JsonObject, scope: string, path: string): Errors {
  const operator = stringAt(expression, 'operator');
  const values = itemsAt(expression, 'values');
  const fixed = ALWAYS_EXIST.includes(scope) && operator !== 'Exists';
  const listed = operator === 'In' || operator === 'NotIn';
  const bare = operator === 'Exists' || operator === 'DoesNotExist';
  return [
    ...invalid(fixed, `${path}.operator`, operator, MUST_EXIST),
    ...required(!listed || values.length > 0, `${path}.values`, NEEDS_VALUES),
    ...invalid(bare && values.length > 0, `${path}.values`, valueAt(expression, 'values'), TAKES_NONE),
    ...invalid(!listed && !bare, `${path}.operator`, operator, 'not a valid selector operator'),
  ];
}

/** Requests above limits: the two are mixed up. */
function warningsOf(hard: JsonObject): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const names = name === 'cpu' || name === 'memory' ? [`requests.${name}`, name] : [`requests.${name}`];
    const requested = names.find((one) => maybeString(hard, one) !== undefined) ?? '';
    const [request, limit] = [maybeString(hard, requested), maybeString(hard, `limits.${name}`)];
    if (request === undefined || limit === undefined || compareQuantity(request, limit) <= 0) return [];
    return [`ResourceQuota ${requested} (${request}) should be less than limits.${name} (${limit})`];
  });
}
