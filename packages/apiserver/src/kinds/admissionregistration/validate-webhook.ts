import { type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { fieldErrors, isDns1035Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import { type Errors, each, invalid, invalidFor, NONE, oneOf } from '../../validation/errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import {
  bodyOf,
  has,
  maybeNumber,
  maybeObject,
  maybeString,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../../objects/read.ts';
import { validateClientConfig } from './validate-client-config.ts';
import { validateMatchConditions } from './validate-match-conditions.ts';
import { validateRules } from './validate-rules.ts';

/** What an update need not mend, because the configuration had it before. */
export type Laxities = {
  readonly sideEffects: boolean;
  readonly reviewVersions: boolean;
  readonly repeatedNames: boolean;
  readonly labelValues: boolean;
  readonly conditions: boolean;
};

export const NOTHING_LAX: Laxities = {
  sideEffects: false,
  reviewVersions: false,
  repeatedNames: false,
  labelValues: false,
  conditions: false,
};

const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export function laxities(object: KubeObject, old: KubeObject): Laxities {
  const before = objectsAt(bodyOf(old), 'webhooks');
  const after = objectsAt(bodyOf(object), 'webhooks');
  const names = before.map((webhook) => stringAt(webhook, 'name'));
  return {
    sideEffects: before.some((webhook) => !NO_SIDE_EFFECTS.includes(stringAt(webhook, 'sideEffects'))),
    reviewVersions: before.some((webhook) => {
      const versions = stringsAt(webhook, 'admissionReviewVersions');
      return versions.length > 0 && !versions.some((version) => REVIEW_VERSIONS.includes(version));
    }),
    repeatedNames: new Set(names).size < names.length,
    labelValues: before.some((webhook) => validateSelectors(webhook, '', false).length > 0),
    conditions:
      before.length === after.length &&
      before.every((webhook, index) =>
        jsonEqual(valueAt(webhook, 'matchConditions'), valueAt(after[index] ?? {}, 'matchConditions')),
      ),
  };
}

/** `validateMutatingWebhook` and its sister of `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`. */
export function validateWebhook(webhook: JsonObject, path: string, lax: Laxities): Errors {
  return [
    ...validateName(stringAt(webhook, 'name'), `${path}.name`),
    ...each(objectsAt(webhook, 'rules'), `${path}.rules`, validateRules),
    ...oneOfIfSet(webhook, path, 'failurePolicy', ['Fail', 'Ignore']),
    ...oneOfIfSet(webhook, path, 'matchPolicy', ['Equivalent', 'Exact']),
    ...validateSideEffects(webhook, `${path}.sideEffects`, lax.sideEffects),
    ...validateTimeout(webhook, `${path}.timeoutSeconds`),
    ...validateSelectors(webhook, path, lax.labelValues),
    ...oneOfIfSet(webhook, path, 'reinvocationPolicy', ['IfNeeded', 'Never']),
    ...validateClientConfig(objectAt(webhook, 'clientConfig'), `${path}.clientConfig`),
    ...(lax.conditions ? NONE : validateMatchConditions(webhook, `${path}.matchConditions`)),
    ...validateReviewVersions(webhook, `${path}.admissionReviewVersions`, lax.reviewVersions),
  ];
}

function oneOfIfSet(webhook: JsonObject, path: string, key: string, supported: readonly string[]): Errors {
  const value = maybeString(webhook, key);
  return value === undefined ? NONE : oneOf(value, `${path}.${key}`, supported);
}

function validateName(name: string, path: string): Errors {
  if (name === '') return [fieldErrors.required(path, '')];
  const errors = isDns1123Subdomain(name);
  if (errors.length > 0) return [fieldErrors.invalid(path, name, errors.join(','))];
  const few = name.split('.').length < 3;
  return invalid(few, path, name, 'should be a domain with at least three segments separated by dots');
}

function validateSideEffects(webhook: JsonObject, path: string, lax: boolean): Errors {
  const allowed = lax ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
  if (!has(webhook, 'sideEffects'))
    return [fieldErrors.required(path, `must specify one of ${allowed.join(', ')}`)];
  return oneOf(stringAt(webhook, 'sideEffects'), path, allowed);
}

function validateTimeout(webhook: JsonObject, path: string): Errors {
  const seconds = maybeNumber(webhook, 'timeoutSeconds') ?? 10;
  const outside = seconds > 30 || seconds < 1;
  return invalid(outside, path, seconds, 'the timeout value must be between 1 and 30 seconds');
}

function validateSelectors(webhook: JsonObject, path: string, anyValue: boolean): Errors {
  return ['namespaceSelector', 'objectSelector'].flatMap((key) => {
    const selector = maybeObject(webhook, key);
    const errors = validateLabelSelector(selector, `${path}.${key}`);
    return anyValue ? errors.filter(({ field }) => !/\.values\[\d+\]$/.test(field)) : errors;
  });
}

function validateReviewVersions(webhook: JsonObject, path: string, lax: boolean): Errors {
  const versions = stringsAt(webhook, 'admissionReviewVersions');
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [fieldErrors.required(path, `must specify one of ${known}`)];
  const unknown = !lax && !versions.some((version) => REVIEW_VERSIONS.includes(version));
  return [
    ...each(versions, path, (version, at) => {
      const repeated = versions.indexOf(version) < Number(/\[(\d+)\]$/.exec(at)?.[1]);
      return repeated
        ? [fieldErrors.invalid(at, version, 'duplicate version')]
        : invalidFor(at, version, isDns1035Label(version));
    }),
    ...invalid(unknown, path, versions, `must include at least one of ${known}`),
  ];
}
