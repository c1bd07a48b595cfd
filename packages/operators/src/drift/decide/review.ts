import type { KubeObject } from '@kubewright/kube';
import type { AcceptedContent } from './accepted-content.ts';
import type { ApprovalRule } from '../approval-policy/read-policy.ts';
import type { Mode } from '../api.ts';

/** One write of a tracked object, as its admission request shows it. */
export type Review = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** A write of the status subresource. */
  readonly isStatus: boolean;
  /** A write of the scale: `object` is what it makes of the object. No annotations are stored with it. */
  readonly isScale?: boolean;
  /** Both objects as they are sent and stored; absent: as they are here. Here, their annotations are those that count. */
  readonly stored?: Pick<Review, 'object' | 'old'>;
  /** Its labels put the object under another policy, or none. */
  readonly isUnderAnother?: boolean;
  /** The second check of a write: the owner that it takes the object from has been asked. */
  readonly isSecond?: boolean;
  /** The object to store; for a deletion, the stored one. */
  readonly object: KubeObject;
  /** Set for updates and deletions. */
  readonly old: KubeObject | undefined;
  /** The username, or the uid of a user without one. */
  readonly user: string;
  /** Sent by one of the operator's own service accounts. */
  readonly isOwn: boolean;
};

/** What the decision depends on besides the write itself. */
export type Facts = {
  /** The controller owner; undefined if there is none, or it is gone. */
  readonly parent?: KubeObject | undefined;
  readonly mode: Mode;
  /** The namespace is being deleted. */
  readonly isEnding: boolean;
  /** What the parent's controller has made of its children before, the latest last; absent: it is not known. */
  readonly contents?: readonly AcceptedContent[];
  /** Of approval policies; absent: there are none, or the parent is not known whole. */
  readonly approvalRules?: readonly ApprovalRule[];
  /** An object's controller may write approvals on it: administrators and controllers may share one user. */
  readonly approvesItself?: boolean;
};
