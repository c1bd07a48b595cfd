import { failure, forbidden } from '../../api-server-error.ts';
import type { Admission } from '../../rest/admission.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { converting } from '../../rest/converting.ts';
import type { Steps } from '../../request/steps.ts';
import { matchWrite } from '../matching/match-write.ts';
import { askPolicy, type PolicyContext, type Rejection } from './ask-policy.ts';
import type { Policy } from './policy.ts';
import { policySource } from './policy-source.ts';

/** What policies are not asked about: themselves, and requests whose objects are not stored. */
const EXEMPT: Readonly<Record<string, readonly string[]>> = {
  'admissionregistration.k8s.io': ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
  'authentication.k8s.io': ['tokenreviews', 'selfsubjectreviews'],
  'authorization.k8s.io': [
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ],
};

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };

/**
 * Rejects writes by the ValidatingAdmissionPolicies that are bound now, before `webhooks` see them.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function policyAdmission(context: PolicyContext, webhooks: Admission): Admission {
  const policies = policySource(context.store);
  return {
    mutate: webhooks.mutate,
    *validate(attributes) {
      const bound = policies();
      if (bound.length > 0 && !isExempt(attributes)) yield* askAll(context, bound, attributes);
      yield* webhooks.validate(attributes);
    },
  };
}

function isExempt({ request }: AdmissionAttributes): boolean {
  const { group, resource } = request.definition;
  return Object.hasOwn(EXEMPT, group) && EXEMPT[group]?.includes(resource) === true;
}

/** All are asked, so that their warnings and audit annotations are there; the first that rejects is named. */
function* askAll(
  context: PolicyContext,
  policies: readonly Policy[],
  attributes: AdmissionAttributes,
): Steps<void> {
  const rejections: Rejection[] = [];
  for (const policy of policies) {
    const match = yield* converting(context, () => matchWrite(context, policy.criteria, attributes));
    if (match === undefined) continue;
    rejections.push(...(yield* askPolicy(context, policy, match, attributes)));
  }
  const [first] = rejections;
  if (first !== undefined) throw rejected(attributes, first);
}

/** As a Forbidden in its words, whatever the reason. */
function rejected({ request, name }: AdmissionAttributes, rejection: Rejection): Error {
  const { policy, binding, message, reason } = rejection;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = forbidden(request.definition, name, why, [{ message: why }]);
  return failure(CODES[reason] ?? 422, reason, status.message ?? why, status.details);
}
