import type { JsonObject, KubeObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, each, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { bodyOf, objectsAt, stringAt } from '../../objects/read.ts';
import { changed, generationOf, withGeneration } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inField,
  inItems,
  inOrder,
  orDefaultPointer,
} from '../../objects/change-object.ts';
import { laxities, NOTHING_LAX, type Laxities, validateWebhook } from './validate-webhook.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const RESERVED_SUFFIX = '.static.k8s.io';

const RESERVED = `metadata.name: names ending with "${RESERVED_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`;

const webhookDefaults: Change = inOrder(
  (webhook) => orDefaultPointer(webhook, 'failurePolicy', 'Fail'),
  (webhook) => orDefaultPointer(webhook, 'matchPolicy', 'Equivalent'),
  (webhook) => orDefaultPointer(webhook, 'namespaceSelector', {}),
  (webhook) => orDefaultPointer(webhook, 'objectSelector', {}),
  (webhook) => orDefaultPointer(webhook, 'timeoutSeconds', 10),
  inField(
    'clientConfig',
    inField('service', (service) => orDefaultPointer(service, 'port', 443)),
  ),
  inItems('rules', (rule) => orDefaultPointer(rule, 'scope', '*')),
);

/** `admissionregistration.k8s.io/v1 MutatingWebhookConfiguration`. */
export const mutatingWebhookConfiguration: Strategy = configuration((webhook) =>
  orDefaultPointer(webhook, 'reinvocationPolicy', 'Never'),
);

/** `admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration`. */
export const validatingWebhookConfiguration: Strategy = configuration((webhook) => webhook);

function configuration(ownDefaults: Change): Strategy {
  const defaults = inItems('webhooks', inOrder(webhookDefaults, ownDefaults));
  return {
    default: (object) => changeObject(object, defaults),
    prepareForCreate: (object) => withGeneration(object, 1),
    prepareForUpdate: (object, old) =>
      changed(object, old, 'webhooks') ? withGeneration(object, generationOf(old) + 1) : object,
    validateCreate: (object) => validate(object, NOTHING_LAX),
    validateUpdate: (object, old) => validate(object, laxities(object, old)),
    warnings: ({ metadata: { name = '' } }) => (name.endsWith(RESERVED_SUFFIX) ? [RESERVED] : []),
  };
}

function validate(object: KubeObject, lax: Laxities): Errors {
  const webhooks = objectsAt(bodyOf(object), 'webhooks');
  const seen = new Set<string>();
  return [
    ...validateObjectMeta(object, RULES),
    ...each(webhooks, 'webhooks', (webhook, path) => [
      ...validateWebhook(webhook, path, lax),
      ...(lax.repeatedNames ? [] : repeatedName(webhook, path, seen)),
    ]),
  ];
}

function repeatedName(webhook: JsonObject, path: string, seen: Set<string>): Errors {
  const name = stringAt(webhook, 'name');
  if (name === '') return [];
  if (seen.has(name)) return [fieldErrors.duplicate(`${path}.name`, name)];
  seen.add(name);
  return [];
}
