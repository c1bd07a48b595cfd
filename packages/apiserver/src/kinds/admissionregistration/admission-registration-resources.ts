import type { Declaration } from '../../model/declaration.ts';
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from './validating-webhook-configuration.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';
const shared = {
  apiVersion,
  namespaced: false,
  categories: ['api-extensions'],
  rest: { unconditionalUpdate: false },
};

/** The webhooks that admission calls. */
export const ADMISSION_REGISTRATION_RESOURCES: readonly Declaration[] = [
  {
    ...shared,
    kind: 'MutatingWebhookConfiguration',
    resource: 'mutatingwebhookconfigurations',
    strategy: mutatingWebhookConfiguration,
  },
  {
    ...shared,
    kind: 'ValidatingWebhookConfiguration',
    resource: 'validatingwebhookconfigurations',
    strategy: validatingWebhookConfiguration,
  },
];
