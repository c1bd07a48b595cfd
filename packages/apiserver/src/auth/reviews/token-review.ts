import { defined, type JsonObject, formatTime } from '@kubewright/kube';
import { specOf, stringAt, stringsAt } from '../../objects/read.ts';
import type { ReviewHandler } from './review-handler.ts';
import { badRequest } from '../../api-server-error.ts';
import type { Authenticator } from '../authenticator.ts';
import { aggregate } from '../rbac/rbac-authorizer.ts';
import type { UserInfo } from '../../request/user-info.ts';

/** SelfSubjectReview: the authenticated user. */
export function selfReview({ now }: { readonly now: () => Date }): ReviewHandler {
  return ({ user }, { apiVersion, kind }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: formatTime(now()) },
    status: { userInfo: userObject(user) },
  });
}

export type TokenReviewSources = {
  readonly authenticate: Authenticator;
  /** The default audiences of a review. */
  readonly audiences: readonly string[];
};

/** TokenReview: whose a token is. */
export function tokenReview({ authenticate, audiences: own }: TokenReviewSources): ReviewHandler {
  return (_request, review) => {
    const spec = specOf(review);
    const token = stringAt(spec, 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const requested = stringsAt(spec, 'audiences');
    const audiences = requested.length === 0 ? own : requested;
    const found = authenticate({ headers: { authorization: `Bearer ${token}` }, audiences });
    return { ...review, status: tokenStatus(found) };
  };
}

function tokenStatus(found: ReturnType<Authenticator>): JsonObject {
  if (found === undefined) return { user: {} };
  if ('errors' in found) return { user: {}, error: aggregate(found.errors) };
  return { authenticated: true, user: userObject(found.user), audiences: found.audiences };
}

function userObject({ username, uid, groups, extra = {} }: UserInfo): JsonObject {
  return {
    username,
    ...defined({ uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
