import type { AdmissionRequest } from '@kubewright/runtime';
import type { RecordPlace } from '../annotations/object-record.ts';
import type { Kausality } from '../api.ts';
import type { Facts, Review } from '../decide/review.ts';
import type { Target } from '../policy/policy-for.ts';
import type { MayApprove } from './may-approve.ts';
import { parentRefs } from './parent-refs.ts';
import type { ParentRef } from './parents.ts';
import type { PolicyOfWrite } from './policy-of-write.ts';
import type { ToolRecords } from './tool-records.ts';

/** One write in the webhook. */
export type Case = {
  readonly request: AdmissionRequest;
  readonly review: Review;
  readonly target: Target;
  readonly policy: Kausality;
  readonly parentRef: ParentRef | undefined;
  readonly approvesItself: boolean;
  /** Drift is denied below all parents, as the original does. */
  readonly isOriginal: boolean;
  readonly tools: Facts['tools'];
};

type Tools = {
  readonly mayApprove?: MayApprove;
  readonly toolRecords?: ToolRecords;
  readonly place?: RecordPlace;
};

/** The write, with what it is checked with, and the owner that is to adopt its object. */
export function caseOf(
  request: AdmissionRequest,
  review: Review,
  { isUnderAnother, target, policy }: PolicyOfWrite,
  { mayApprove, toolRecords, place }: Tools,
): Case & { readonly adopter: ParentRef | undefined } {
  const checked = { ...review, isUnderAnother };
  const [parentRef, adopter] = parentRefs(checked, request);
  const tools = parentRef === undefined ? toolRecords?.of(review.object) : undefined;
  const approvesItself = mayApprove === undefined;
  const isOriginal = place === 'annotations';
  return { request, review: checked, target, policy, parentRef, adopter, approvesItself, isOriginal, tools };
}
