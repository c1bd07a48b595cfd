import { type admissionregistrationv1, jsonEqual } from '@kubewright/kube';
import { compileCondition } from '@kubewright/kube/cel';
import { isDns1035Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateClientConfig } from '../../validation/validate-client-config.ts';
import { validateMatchConditions } from './validate-match-conditions.ts';
import { validateRules } from './validate-rules.ts';

/** Only a mutating one has a `reinvocationPolicy`. */
type Webhook = Field<admissionregistrationv1.MutatingWebhook>;
export type WebhookConfiguration = Field<admissionregistrationv1.MutatingWebhookConfiguration>;

/** What an update need not mend, because the configuration had it before. */
export type Laxities = Readonly<
  Record<'sideEffects' | 'reviewVersions' | 'repeatedNames' | 'labelValues' | 'conditions', boolean>
>;

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

export function laxities(configuration: WebhookConfiguration, old: WebhookConfiguration): Laxities {
  const [before, after] = [old.items('webhooks'), configuration.items('webhooks')];
  const names = before.map((webhook) => webhook.text('name'));
  return {
    sideEffects: before.some((webhook) => !NO_SIDE_EFFECTS.includes(webhook.text('sideEffects'))),
    reviewVersions: before.some(
      (webhook) => webhook.count('admissionReviewVersions') > 0 && !hasKnownVersion(webhook),
    ),
    repeatedNames: new Set(names).size < names.length,
    labelValues: before.some((webhook) => webhook.fails((field) => validateSelectors(field, false))),
    conditions:
      before.length === after.length &&
      before.every((webhook, index) =>
        jsonEqual(webhook.at('matchConditions').value, after[index]?.at('matchConditions').value ?? null),
      ),
  };
}

/** `validateMutatingWebhook` and its sister of `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`. */
export function validateWebhook(webhook: Webhook, lax: Laxities): void {
  validateName(webhook.at('name'));
  for (const rule of webhook.items('rules')) validateRules(rule);
  webhook.oneOfIfSet('failurePolicy', ['Fail', 'Ignore']);
  webhook.oneOfIfSet('matchPolicy', ['Equivalent', 'Exact']);
  validateSideEffects(webhook, lax.sideEffects ? SIDE_EFFECTS : NO_SIDE_EFFECTS);
  validateTimeout(webhook);
  validateSelectors(webhook, lax.labelValues);
  webhook.oneOfIfSet('reinvocationPolicy', ['IfNeeded', 'Never']);
  validateClientConfig(webhook.at('clientConfig'));
  if (!lax.conditions)
    validateMatchConditions(
      webhook.at('matchConditions'),
      webhook.items('matchConditions'),
      compileCondition,
    );
  validateReviewVersions(webhook, lax.reviewVersions);
}

function validateName(name: Field<string>): void {
  if (name.asText === '') return name.addRequired();
  const errors = isDns1123Subdomain(name.asText);
  if (errors.length > 0) name.addInvalid(errors.join(','));
  else if (name.asText.split('.').length < 3)
    name.addInvalid('should be a domain with at least three segments separated by dots');
}

function validateSideEffects(webhook: Webhook, allowed: readonly string[]): void {
  webhook.require('sideEffects', `must specify one of ${allowed.join(', ')}`);
  if (webhook.has('sideEffects')) webhook.at('sideEffects').mustBeOneOf(allowed);
}

function validateTimeout(webhook: Webhook): void {
  const value = webhook.maybeNumber('timeoutSeconds') ?? 10;
  if (value > 30 || value < 1)
    webhook.at('timeoutSeconds').addInvalid('the timeout value must be between 1 and 30 seconds', { value });
}

function validateSelectors(webhook: Webhook, anyValue: boolean): void {
  for (const key of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = webhook.maybeAt(key);
    if (selector === undefined) continue;
    const errors = validateLabelSelector(selector.object, selector.path);
    selector.add(anyValue ? errors.filter(({ field }) => !/\.values\[\d+\]$/.test(field)) : errors);
  }
}

function hasKnownVersion(webhook: Webhook): boolean {
  return webhook.texts('admissionReviewVersions').some((version) => REVIEW_VERSIONS.includes(version));
}

function validateReviewVersions(webhook: Webhook, lax: boolean): void {
  const [field, value] = [webhook.at('admissionReviewVersions'), webhook.texts('admissionReviewVersions')];
  const known = REVIEW_VERSIONS.join(', ');
  if (value.length === 0) return field.addRequired(`must specify one of ${known}`);
  for (const [index, version] of webhook.items('admissionReviewVersions').entries()) {
    if (value.indexOf(version.asText) < index)
      version.addInvalid('duplicate version', { value: version.asText });
    else version.mustMatch(isDns1035Label);
  }
  if (!lax && !hasKnownVersion(webhook)) field.addInvalid(`must include at least one of ${known}`, { value });
}
