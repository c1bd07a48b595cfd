import { defined, type JsonObject } from '@kubewright/kube';
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

/**
 * Only annotations change, and what is restored, so only they are compared. A deleted object is not patched, and neither is
 * a scale.
 */
function patchOf(
  { annotations, restored = {} }: AdmissionDecision,
  { object, isScale }: Review,
): Pick<AdmissionResponse, 'patch'> {
  if (annotations === undefined || isScale === true) return {};
  const { annotations: sent, ownerReferences, labels } = object.metadata;
  const before = defined({ annotations: sent, ownerReferences, labels });
  const isNew = sent !== undefined || Object.keys(annotations).length > 0;
  const after = { ...before, ...(isNew ? { annotations } : {}), ...restored };
  const patch = createJsonPatch({ metadata: json(before) }, { metadata: json(after) });
  return patch.length === 0 ? {} : { patch };
}

/** The types of metadata are JSON. */
const json = (metadata: object): JsonObject => ({ ...metadata });
