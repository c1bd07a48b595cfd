import { defined, type JsonObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { type Match, namespaceOf } from './match-write.ts';

/** An `AdmissionRequest` without its uid and objects. */
export function admissionRequest(match: Match, attributes: AdmissionAttributes): JsonObject {
  const { request, kind, name, operation, dryRun } = attributes;
  const { subresource } = request;
  return defined({
    kind: kindOf(match.kind),
    resource: resourceOf(match.resource),
    subResource: unlessEmpty(subresource),
    requestKind: kindOf(kind),
    requestResource: resourceOf(request.definition),
    requestSubResource: unlessEmpty(subresource),
    name: unlessEmpty(name),
    namespace: unlessEmpty(namespaceOf(attributes)),
    operation,
    userInfo: userOf(request.user),
    dryRun,
    options: attributes.options(),
  });
}

function unlessEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function kindOf({ group, version, kind }: ResourceDefinition): JsonObject {
  return { group, version, kind };
}

function resourceOf({ group, version, resource }: ResourceDefinition): JsonObject {
  return { group, version, resource };
}

function userOf({ username, uid, groups, extra }: UserInfo): JsonObject {
  return defined({
    username: unlessEmpty(username),
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: extra === undefined || Object.keys(extra).length === 0 ? undefined : extra,
  });
}
