import type { KubeObject } from '@kubewright/kube';
import type { AcceptedContent } from './accepted-content.ts';
import type { ApprovalRule } from '../approval-policy/read-policy.ts';
import type { Mode } from '../api.ts';
import type { ToolRevision } from './tool-revision.ts';

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
  /** As the request names it; anybody may name any. */
  readonly fieldManager?: string;
  /** Sent by one of the operator's own service accounts. */
  readonly isOwn: boolean;
};

/** The object in which a tool records what it applies to another, which has a mark of it and no owner. */
export type ToolRecord = {
  /** For people: `Flux Kustomization shop/apps`. */
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** As it is cached; absent: it is not known. */
  readonly object?: KubeObject;
  readonly revision?: ToolRevision;
};

/** What the decision depends on besides the write itself. */
export type Facts = {
  /** The controller owner; undefined if there is none, or it is gone. */
  readonly parent?: KubeObject | undefined;
  readonly mode: Mode;
  /** Of an object without an owner: what the tools record whose marks it has. Default: none. */
  readonly tools?: readonly ToolRecord[];
  /** The policy by which it is checked. */
  readonly policy?: string;
  /** Why drift is not denied although the mode would be `enforce`. */
  readonly unenforced?: string;
  /** The namespace is being deleted. */
  readonly isEnding: boolean;
  /** What the parent's controller has made of its children before, the latest last; absent: it is not known. */
  readonly contents?: readonly AcceptedContent[];
  /** Of approval policies; absent: there are none, or the parent is not known whole. */
  readonly approvalRules?: readonly ApprovalRule[];
  /** An object's controller may write approvals on it: administrators and controllers may share one user. */
  readonly approvesItself?: boolean;
};
