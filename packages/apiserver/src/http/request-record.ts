import type { Status } from '@kubewright/kube';
import { isQualifiedName } from '@kubewright/kube/validation';
import type { UserInfo } from '../request/user-info.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** What is recorded of a request while it is handled. */
export type RequestRecord = {
  readonly auditId: string;
  readonly receivedAt: Date;
  /** Texts for `Warning` headers. */
  readonly warnings: string[];
  /** Notes for the audit log, where there is one. */
  readonly annotations: Map<string, string> | undefined;
  /** Who sent it. */
  readonly sender: UserInfo;
  /** The impersonated user, if any. */
  impersonated?: UserInfo;
  info?: RequestInfo;
  /** The Status of an error response. */
  error?: Status;
};

/** Notes a value under a qualified name with a domain; the first value stays. Other keys are left out, as upstream. */
export function annotate({ annotations }: RequestRecord, key: string, value: string): void {
  if (annotations === undefined || annotations.has(key)) return;
  if (key.includes('/') && isQualifiedName(key).length === 0) annotations.set(key, value);
}
