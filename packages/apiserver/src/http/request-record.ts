import type { Status } from '@kubewright/kube';
import type { UserInfo } from '../auth/user-info.ts';
import type { RequestInfo } from './request-info.ts';

/** What becomes known of a request while it is answered. */
export type RequestRecord = {
  readonly auditId: string;
  readonly receivedAt: Date;
  /** Texts for `Warning` headers. */
  readonly warnings: string[];
  /** Notes for the audit log. */
  readonly annotations: Map<string, string>;
  /** Who sent it. */
  readonly sender: UserInfo;
  /** As whom it is answered, where the sender asked to be another. */
  impersonated?: UserInfo;
  info?: RequestInfo;
  /** What it was refused with. */
  refusal?: Status;
};

const KEY = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/./;

/** Notes a value under a key that begins with a domain; the first value stays. Others are left out, as upstream does. */
export function annotate({ annotations }: RequestRecord, key: string, value: string): void {
  if (KEY.test(key) && !annotations.has(key)) annotations.set(key, value);
}
