import type { batchv1 } from '@kubewright/kube';
import type { KeyOf } from '../../objects/read.ts';
import type { Field } from '../../validation/field.ts';

type Status = Field<batchv1.JobStatus>;

/** A Job whose status is written, before and after. Most rules hold for what changes only, as in the original. */
export type StatusChange = {
  readonly spec: Field<batchv1.JobSpec>;
  readonly status: Status;
  readonly old: Status;
  readonly changed: (key: KeyOf<batchv1.JobStatus>) => boolean;
  /** Whether it changes that a condition holds. */
  readonly turned: (type: string) => boolean;
};
