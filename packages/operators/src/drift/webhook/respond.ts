import { defined, type JsonObject } from '@kubewright/kube';
import { createJsonPatch } from '@kubewright/kube/patch';
import { type AdmissionResponse, allowed, denied, withWarnings } from '@kubewright/runtime';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import { ANNOTATIONS } from '../api.ts';
import { entriesWith } from '../annotations/noted-controllers.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
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
  review: Review,
): Pick<AdmissionResponse, 'patch'> {
  const { object, isScale } = review;
  if (annotations === undefined || isScale === true) return {};
  const { annotations: sent, ownerReferences, labels, managedFields } = object.metadata;
  const before = defined({ annotations: sent, ownerReferences, labels, managedFields });
  const isNew = sent !== undefined || Object.keys(annotations).length > 0;
  const after = {
    ...before,
    ...(isNew ? { annotations } : {}),
    ...restored,
    ...notedBy(review, annotations),
  };
  const patch = createJsonPatch({ metadata: json(before) }, { metadata: json(after) });
  return patch.length === 0 ? {} : { patch };
}

/** The first writes of a status store who writes it, until the annotation has it. */
function notedBy(
  { isStatus, isOwn, isNoted, old, object }: Review,
  annotations: Readonly<Record<string, string>>,
) {
  const controllers = annotations[ANNOTATIONS.controllers];
  if (!isStatus || isOwn || controllers === undefined) return {};
  const isKnown = readAnnotation(old, ANNOTATIONS.controllers) === controllers;
  return isKnown && isNoted !== true ? {} : { managedFields: entriesWith(controllers, object) };
}

/** The types of metadata are JSON. */
const json = (metadata: object): JsonObject => ({ ...metadata });
