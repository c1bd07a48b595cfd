import { createJsonPatch } from '@kubewright/kube/patch';
import { type AdmissionResponse, allowed, denied, withWarnings } from '@kubewright/runtime';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';

/** The admission response for a decision on a write. */
export function respond(decision: AdmissionDecision, review: Review): AdmissionResponse {
  const { audit, warning, message = '' } = decision;
  const response = decision.allowed ? { ...allowed(), ...patchOf(decision, review) } : denied(message);
  const audited = audit === undefined ? response : { ...response, auditAnnotations: audit };
  return warning === undefined ? audited : withWarnings(audited, warning);
}

/** Only annotations change, so only they are compared. A deleted object is not patched, and neither is a scale. */
function patchOf(
  { annotations }: AdmissionDecision,
  { object, isScale }: Review,
): Pick<AdmissionResponse, 'patch'> {
  if (annotations === undefined || isScale === true) return {};
  const sent = object.metadata.annotations;
  if (sent === undefined && Object.keys(annotations).length === 0) return {};
  const before = { metadata: sent === undefined ? {} : { annotations: sent } };
  const patch = createJsonPatch(before, { metadata: { annotations } });
  return patch.length === 0 ? {} : { patch };
}
