import type { apiextensionsv1, JsonObject } from '@kubewright/kube';
import { isDns1035Label } from '@kubewright/kube/validation';
import { validateClientConfig } from '../validation/validate-client-config.ts';
import { objectAt, stringsAt, valueAt } from '../objects/read.ts';
import type { Errors } from '../validation/errors.ts';
import { Field } from '../validation/field.ts';

const KNOWN_VERSIONS = ['v1', 'v1beta1'];

/** The type of `spec.conversion` inside a server, by whose names its errors go. */
type Conversion = {
  readonly strategy: string;
  readonly webhookClientConfig?: apiextensionsv1.WebhookClientConfig;
  readonly conversionReviewVersions?: readonly string[];
};

/** `validateCustomResourceConversion`. `old` is absent where there is nothing that need not be mended. */
export function validateConversion(conversion: JsonObject, old?: JsonObject): Errors {
  const field = internal(conversion);
  field.requireOneOf('strategy', ['None', 'Webhook']);
  if (field.text('strategy') === 'Webhook') {
    field.require('webhookClientConfig', 'required when strategy is set to Webhook');
    if (field.has('webhookClientConfig')) validateClientConfig(field.at('webhookClientConfig'));
    validateReviewVersions(field, old !== undefined && !knowsOne(internal(old)));
  } else {
    const why = 'should not be set when strategy is not set to Webhook';
    field.forbid('webhookClientConfig', why);
    if (field.count('conversionReviewVersions') > 0) field.forbid('conversionReviewVersions', why);
  }
  return field.errors;
}

function internal(conversion: JsonObject): Field<Conversion> {
  const webhook = objectAt(conversion, 'webhook');
  const value: Record<string, JsonObject[string]> = { strategy: valueAt(conversion, 'strategy') ?? null };
  const config = valueAt(webhook, 'clientConfig');
  if (config !== undefined) value['webhookClientConfig'] = config;
  value['conversionReviewVersions'] = [...stringsAt(webhook, 'conversionReviewVersions')];
  return new Field<Conversion>(value, undefined, 'spec.conversion');
}

function knowsOne(conversion: Field<Conversion>): boolean {
  const versions = conversion.texts('conversionReviewVersions');
  return versions.length === 0 || versions.some((version) => KNOWN_VERSIONS.includes(version));
}

function validateReviewVersions(conversion: Field<Conversion>, lax: boolean): void {
  const [field, value] = [
    conversion.at('conversionReviewVersions'),
    conversion.texts('conversionReviewVersions'),
  ];
  if (value.length === 0) return field.addRequired();
  for (const [index, version] of conversion.items('conversionReviewVersions').entries()) {
    if (value.indexOf(version.asText) < index)
      version.addInvalid('duplicate version', { value: version.asText });
    else version.mustMatch(isDns1035Label);
  }
  if (!lax && !knowsOne(conversion))
    field.addInvalid(`must include at least one of ${KNOWN_VERSIONS.join(', ')}`, { value });
}
