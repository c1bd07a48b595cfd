import type { admissionregistrationv1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { repeats } from '../../validation/repeats.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';
import { generationOfChanges } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  defaults,
  inField,
  inItems,
  inOrder,
} from '../../objects/change-object.ts';
import { reservedNameWarnings } from './reserved-name-warnings.ts';
import {
  laxities,
  NOTHING_LAX,
  type Laxities,
  validateWebhook,
  type WebhookConfiguration,
} from './validate-webhook.ts';

type Webhook = admissionregistrationv1.MutatingWebhook;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const webhookDefaults: Change = inOrder(
  defaults<Webhook>({
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  }),
  inField(
    'clientConfig',
    inField('service', defaults<admissionregistrationv1.ServiceReference>({ port: 443 })),
  ),
  inItems('rules', defaults<admissionregistrationv1.RuleWithOperations>({ scope: '*' })),
);

/** `admissionregistration.k8s.io/v1 MutatingWebhookConfiguration`. */
export const mutatingWebhookConfiguration: Strategy = configuration(
  inOrder(webhookDefaults, defaults<Webhook>({ reinvocationPolicy: 'Never' })),
);

/** `admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration`. */
export const validatingWebhookConfiguration: Strategy = configuration(webhookDefaults);

function configuration(ownDefaults: Change): Strategy {
  const change = inItems('webhooks', ownDefaults);
  return {
    default: (object) => changeObject(object, change),
    ...generationOfChanges('webhooks'),
    validateCreate: (object) => [
      ...validateObjectMeta(object, RULES),
      ...objectErrors((body: WebhookConfiguration) => validateWebhooks(body, NOTHING_LAX), object),
    ],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, RULES),
      ...objectErrors((body: WebhookConfiguration) => {
        validateWebhooks(body, laxities(body, new Field(bodyOf(old))));
      }, object),
    ],
    warnings: reservedNameWarnings,
  };
}

function validateWebhooks(configuration: WebhookConfiguration, lax: Laxities): void {
  const isRepeated = repeats();
  for (const webhook of configuration.items('webhooks')) {
    const name = webhook.at('name');
    validateWebhook(webhook, lax);
    if (!lax.repeatedNames && name.asText !== '') name.mustBeNew(isRepeated);
  }
}
