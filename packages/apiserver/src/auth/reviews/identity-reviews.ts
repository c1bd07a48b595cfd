import type { JsonObject } from '@kubewright/kube';
import { formatTime } from '@kubewright/kube';
import { specOf, stringAt, stringsAt } from '../../kinds/shared/read.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import { badRequest } from '../../rest/api-server-error.ts';
import type { Authenticator } from '../authenticator.ts';
import type { UserInfo } from '../user-info.ts';

type Answer = NonNullable<ResourceDefinition['answer']>;

/** For whom tokens of this server are. */
const AUDIENCE = 'https://kubernetes.default.svc';

/** SelfSubjectReview: who the sender is. */
export function selfReview({ now }: { readonly now: () => Date }): Answer {
  return ({ user }, { apiVersion, kind }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: formatTime(now()) },
    status: { userInfo: userObject(user) },
  });
}

/** TokenReview: whose a token is. */
export function tokenReview({ authenticate }: { readonly authenticate: Authenticator }): Answer {
  return (_request, review) => {
    const spec = specOf(review);
    const token = stringAt(spec, 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const audiences = stringsAt(spec, 'audiences');
    const meant = audiences.length === 0 || audiences.includes(AUDIENCE);
    const user = meant ? authenticate({ headers: { authorization: `Bearer ${token}` } }) : undefined;
    return { ...review, status: tokenStatus(user) };
  };
}

function tokenStatus(user: UserInfo | undefined): JsonObject {
  if (user === undefined) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userObject(user), audiences: [AUDIENCE] };
}

function userObject({ username, uid, groups, extra = {} }: UserInfo): JsonObject {
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
