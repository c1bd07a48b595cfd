import { defined, type JsonObject } from '@kubewright/kube';
import { createJsonPatch } from '@kubewright/kube/patch';
import { type AdmissionResponse, allowed, denied, withWarnings } from '@kubewright/runtime';
import { merged } from '../../kit/merged.ts';
import { ADDED_KEYS, ANNOTATIONS, PREFIX, SYSTEM_KEYS } from '../api.ts';
import { entriesWith, notedControllers } from '../annotations/noted-controllers.ts';
import { recordOf, recordPatch, type RecordPlace, rewritten } from '../annotations/object-record.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { recordFor } from '../annotations/recorded-view.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';

type Annotations = Readonly<Record<string, string>>;
type Patch = NonNullable<AdmissionResponse['patch']>;

/** The admission response for a decision on a write. */
export function respond(
  decision: AdmissionDecision,
  review: Review,
  place: RecordPlace = 'managedFields',
): AdmissionResponse {
  const { audit, warning, message = '' } = decision;
  const response = decision.allowed ? merged(allowed(), patchOf(decision, review, place)) : denied(message);
  const audited = audit === undefined ? response : merged(response, { auditAnnotations: audit });
  return warning === undefined ? audited : withWarnings(audited, warning);
}

/**
 * Only annotations, what is recorded, and what is restored, change, so only they are compared. A deleted object is not
 * patched, and neither is a scale.
 */
function patchOf(
  decision: AdmissionDecision,
  review: Review,
  place: RecordPlace,
): Pick<AdmissionResponse, 'patch'> {
  const { annotations } = decision;
  if (annotations === undefined || review.isScale === true) return {};
  const patch =
    place === 'annotations'
      ? metadataPatch(decision, review, known(annotations), managersOf(review, annotations))
      : recordedPatch(decision, review, annotations);
  return patch.length === 0 ? {} : { patch };
}

function known(annotations: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !ADDED_KEYS.has(key)));
}

function recordedPatch(decision: AdmissionDecision, review: Review, annotations: Annotations): Patch {
  const { object } = review.stored ?? review;
  const stored = storedAnnotations(decision, review, annotations);
  return [
    ...metadataPatch(decision, review, stored),
    ...recordPatch(object, recordFor(annotations, stored)),
  ] as Patch;
}

/**
 * The annotations that are stored. What only the webhook writes stays as it was, until people change the spec; what a controller copies is stored as it
 * is sent; and of what people write, that which the decision has changed.
 */
function storedAnnotations(
  { isCopied = false, reason }: AdmissionDecision,
  { object: meant, stored }: Review,
  annotations: Annotations,
): Annotations {
  const { object = meant, old } = stored ?? {};
  const sent = object.metadata.annotations ?? {};
  if (isCopied) return sent;
  // An earlier release, or the original, has written annotations that the record replaces.
  const isChange = reason !== 'Metadata' && reason !== 'Status';
  const storedOf = (key: string): string | undefined => {
    if (SYSTEM_KEYS.has(key)) return isChange ? undefined : readAnnotation(old, key);
    const isAsSent = annotations[key] === readAnnotation(meant, key);
    return isAsSent ? readAnnotation(object, key) : annotations[key];
  };
  const keys = [...new Set([...Object.keys(annotations), ...Object.keys(sent)])];
  const entries = keys.map((key) => [key, isOurs(key) ? storedOf(key) : sent[key]] as const);
  return defined(Object.fromEntries(entries)) as Annotations;
}

const isOurs = (key: string): boolean => key.startsWith(PREFIX);

function metadataPatch(
  { restored = {} }: AdmissionDecision,
  review: Review,
  annotations: Annotations,
  managers: object = {},
): Patch {
  const { object } = review.stored ?? review;
  const { annotations: sent, ownerReferences, labels, managedFields } = object.metadata;
  const compared = Object.keys(managers).length === 0 ? {} : { managedFields };
  const before = defined({ annotations: sent, ownerReferences, labels, ...compared });
  const isNew = sent !== undefined || Object.keys(annotations).length > 0;
  const after = merged(before, isNew ? { annotations } : {}, merged(restored, managers));
  return createJsonPatch({ metadata: json(before) }, { metadata: json(after) });
}

/**
 * Where the record is in annotations, the first writes of a status store who writes it in managedFields, until the
 * annotation has it: servers drop the annotations that a webhook adds to a write of the status of a custom resource.
 */
function managersOf({ isStatus, isOwn, stored, ...review }: Review, annotations: Annotations): object {
  const { object, old } = stored ?? review;
  const other = recordOf(object) === undefined ? {} : { managedFields: rewritten(object, {}) };
  const controllers = annotations[ANNOTATIONS.controllers];
  if (!isStatus || isOwn || controllers === undefined) return other;
  const isKnown = readAnnotation(review.old, ANNOTATIONS.controllers) === controllers;
  const isNoted = notedControllers(old) !== undefined;
  return isKnown && !isNoted ? other : { managedFields: entriesWith(controllers, object) };
}

/** The types of metadata are JSON. */
const json = (metadata: object): JsonObject => ({ ...metadata });
