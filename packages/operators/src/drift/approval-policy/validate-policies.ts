import { getOwn, isJsonArray, isJsonObject, type JsonObject, jsonEqual } from '@kubewright/kube';
import {
  type AdmissionRequest,
  type AdmissionResponse,
  admissionWebhook,
  allowed,
  type Webhook,
} from '@kubewright/runtime';
import { GROUP } from '../api.ts';
import type { AnyApprovalPolicy } from './approval-policies.ts';
import { readPolicy } from './read-policy.ts';

export const VALIDATION_PATH = '/drift/approval-policies';

/** While the operator is down, such a policy is stored: its rules approve nothing, and its status says so. */
export const VALIDATION = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'kubewright-drift-approval-policies' },
  webhooks: [
    {
      name: `approval-policies.${GROUP}`,
      clientConfig: { service: { path: VALIDATION_PATH } },
      rules: [
        {
          apiGroups: [GROUP],
          apiVersions: ['v1alpha1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['approvalpolicies', 'clusterapprovalpolicies'],
          scope: '*',
        },
      ],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
    },
  ],
} as const;

/** Denies approval policies with a rule that could never approve anything: an expression that does not compile. */
export function validatePolicies(): Webhook {
  return admissionWebhook((request) => {
    const message = problemIn(request);
    return message === undefined ? allowed() : invalid(message);
  });
}

/** A policy that is stored already stays writable, for its labels and its deletion. */
export function problemIn({ object, oldObject }: AdmissionRequest): string | undefined {
  if (object === undefined || !hasRules(object)) return undefined;
  const before = oldObject === undefined ? undefined : getOwn(oldObject, 'spec');
  if (before !== undefined && jsonEqual(before, getOwn(object, 'spec'))) return undefined;
  const { problems } = readPolicy(object as JsonObject & AnyApprovalPolicy);
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** The server has validated it by the definition, unless that is another one. */
function hasRules(object: JsonObject): boolean {
  const spec = getOwn(object, 'spec');
  const rules = isJsonObject(spec) ? getOwn(spec, 'rules') : undefined;
  return isJsonArray(rules) && rules.every((rule) => isJsonObject(rule));
}

const LONGEST = 4096;

function invalid(message: string): AdmissionResponse {
  return { allowed: false, result: { code: 422, reason: 'Invalid', message: message.slice(0, LONGEST) } };
}
