import { controllerOf } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import { merged } from '../../kit/merged.ts';
import { changesOwner } from '../decide/changes-owner.ts';
import { kindOfWrite } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';
import type { ParentRef } from './parents.ts';

/**
 * The parents that a write is checked with, in turn. The owner of the old object first: a controller must not remove its
 * parent in the write that is checked, or before it. Then one that is to adopt the object.
 */
export function parentRefs(review: Review, { namespace }: AdmissionRequest): readonly ParentRef[] {
  const kind = kindOfWrite(review);
  if (kind === 'status' || kind === 'untouched') return [];
  const { old, object } = review;
  const before = old && controllerOf(old);
  const isMoved = old === undefined || changesOwner(old, object);
  const after = isMoved ? controllerOf(object) : undefined;
  return [before, after].flatMap((owner) => (owner === undefined ? [] : [merged(owner, { namespace })]));
}
