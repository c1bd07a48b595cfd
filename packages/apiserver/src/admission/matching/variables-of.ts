import type { KubeObject } from '@kubewright/kube';
import { type AdmissionVariables, admissionVariables } from '@kubewright/kube/cel';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { admissionRequest } from './admission-request.ts';
import { inMatchedVersion, type Match } from './match-write.ts';

/** What an expression of a policy reads beside the write; null: nothing. */
type Further = { readonly namespaceObject: KubeObject | null; readonly params: KubeObject | null };

/** What expressions of webhooks and policies read of a write. */
export function variablesOf(
  authorize: Authorizer,
  match: Match,
  attributes: AdmissionAttributes,
  further: Further = { namespaceObject: null, params: null },
): AdmissionVariables {
  const { request, object, oldObject, name } = attributes;
  const { definition, namespace, subresource, user } = request;
  return admissionVariables({
    object: inMatchedVersion(match, object) ?? null,
    oldObject: inMatchedVersion(match, oldObject) ?? null,
    ...further,
    request: admissionRequest(match, attributes),
    requested: { group: definition.group, resource: definition.resource, subresource, namespace, name },
    authorize: ({ verb, path = '', ...resource }, account) =>
      authorize({
        user: account === undefined ? user : serviceAccount(account),
        info: path === '' ? { verb, path, resource } : { verb, path },
      }),
  });
}

/** As its tokens would authenticate it; `username` is `system:serviceaccount:namespace:name`. */
function serviceAccount(username: string): UserInfo {
  const [namespace = ''] = username.split(':').slice(2);
  return { username, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] };
}
