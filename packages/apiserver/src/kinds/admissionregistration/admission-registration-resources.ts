import type { Declaration } from '../../model/declaration.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts';
import { validatingAdmissionPolicy, validatingAdmissionPolicyStatus } from './validating-admission-policy.ts';
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

/** The webhooks that admission calls, and the policies that it asks. */
export const ADMISSION_REGISTRATION_RESOURCES: readonly Declaration[] = [
  {
    ...shared,
    kind: 'MutatingWebhookConfiguration',
    resource: 'mutatingwebhookconfigurations',
    strategy: mutatingWebhookConfiguration,
  },
  {
    ...shared,
    kind: 'ValidatingAdmissionPolicy',
    resource: 'validatingadmissionpolicies',
    strategy: validatingAdmissionPolicy,
    status: validatingAdmissionPolicyStatus,
  },
  {
    ...shared,
    kind: 'ValidatingAdmissionPolicyBinding',
    resource: 'validatingadmissionpolicybindings',
    strategy: validatingAdmissionPolicyBinding,
  },
  {
    ...shared,
    kind: 'ValidatingWebhookConfiguration',
    resource: 'validatingwebhookconfigurations',
    strategy: validatingWebhookConfiguration,
  },
];
