import type { JsonObject } from '@kubewright/kube';

/** What a request is made from: the object as one server has it, and as that server had it before. */
export type View = {
  readonly live: JsonObject | undefined;
  readonly stale: JsonObject | undefined;
};
