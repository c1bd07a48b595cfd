import type { KubeObject } from '@kubewright/kube';
import type { Mode } from '../api.ts';

/** One write of a tracked object, as its admission request shows it. */
export type Review = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** A write of the status subresource. */
  readonly isStatus: boolean;
  /** As it is to be stored; of a deletion, as it is. */
  readonly object: KubeObject;
  /** Of an update and a deletion. */
  readonly old: KubeObject | undefined;
  /** The username, or the uid of a user who has none. */
  readonly user: string;
  /** One of the operator's own accounts. */
  readonly isOwn: boolean;
};

/** What the decision on a write rests on, beside the write itself. */
export type World = {
  /** The controller owner; undefined: there is none, or it is gone. */
  readonly parent?: KubeObject | undefined;
  readonly mode: Mode;
  /** The namespace is being deleted. */
  readonly isEnding: boolean;
};
