import type { UserInfo } from '../request/user-info.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** The fault that is injected into a request. */
export type ServerFault =
  /** It fails and is not handled: 409, 410, 429, 5xx. Reason and message default to those of the code. */
  | {
      readonly type: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** It is carried out so many milliseconds later, on the server's clock. */
  | { readonly type: 'delay'; readonly ms: number }
  /** The connection breaks: `before` the request is handled, or `after`, so that its result is lost. */
  | { readonly type: 'cut'; readonly when: 'before' | 'after' }
  /** The response breaks off after so many bytes: in the middle of a list, or of a watch. */
  | { readonly type: 'cutBody'; readonly afterBytes: number };

/** Which requests fail, and how. A part that is left out matches all. */
export type FaultRule = {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb?: string;
  readonly group?: string;
  /** Plural: `deployments`. */
  readonly resource?: string;
  /** Empty: none. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Name of the sender. */
  readonly user?: string;
  /** From the nth request on that matches; default the first. */
  readonly nth?: number;
  /** So many of them; default 1. */
  readonly times?: number;
  readonly fault: ServerFault;
};

const PLACES = ['group', 'resource', 'subresource', 'namespace', 'name'] as const;

export function matchesRule(rule: FaultRule, { verb, resource }: RequestInfo, user: UserInfo): boolean {
  if (rule.verb !== undefined && rule.verb !== verb) return false;
  if (rule.user !== undefined && rule.user !== user.username) return false;
  return PLACES.every((place) => rule[place] === undefined || rule[place] === resource?.[place]);
}
