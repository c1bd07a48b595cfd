import type { JsonObject } from '@kubewright/kube';

/** A Job whose status is written, before and after. Most rules hold for what changes only, as in the original. */
export type StatusChange = {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly old: JsonObject;
  readonly changed: (key: string) => boolean;
  /** Whether it changes that a condition holds. */
  readonly turned: (type: string) => boolean;
};
