import type { KubeObject } from '@kubewright/kube';
import type { Amounts } from './amounts.ts';
import type { ScopeSelector } from './scope-selector.ts';

/** A change of an object as a quota sees it: `old` is absent where it is made. */
export type CountedWrite = {
  readonly subresource: string;
  readonly object: KubeObject;
  readonly old?: KubeObject | undefined;
};

/** How objects of one resource count against quotas (`quota.Evaluator`). Pure. */
export type Evaluator = {
  /** Those of `names` that this resource counts against. */
  readonly matching: (names: readonly string[]) => readonly string[];
  /** Whether such a write can change what is used. */
  readonly handles: (write: CountedWrite) => boolean;
  readonly inScope: (selector: ScopeSelector, object: KubeObject) => boolean;
  /** What is wrong with an object that a quota of `names` applies to; undefined where it may be counted. */
  readonly complaint: (names: readonly string[], object: KubeObject) => string | undefined;
  /** What the object uses; `now` in milliseconds. */
  readonly usage: (object: KubeObject, now: number) => Amounts;
};
