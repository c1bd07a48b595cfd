import { defined, type Json, type JsonObject, type KubeObject, stringifyJson } from '@kubewright/kube';
import type { UserInfo } from '../../request/user-info.ts';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { inHookVersion, type Invocation, namespaceOf } from './invocation.ts';

/** The newest version of `AdmissionReview` that a webhook accepts; undefined: none that this server supports. */
export function reviewVersion(accepted: readonly string[]): 'v1' | 'v1beta1' | undefined {
  const version = accepted.find((one) => one === 'v1' || one === 'v1beta1');
  return version === 'v1' || version === 'v1beta1' ? version : undefined;
}

/** The body of a call of a webhook. */
export function admissionReview(
  version: string,
  uid: string,
  invocation: Invocation,
  attributes: AdmissionAttributes,
): string {
  const { object, oldObject } = attributes;
  return stringifyJson({
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...admissionRequest(invocation, attributes),
      object: shown(inHookVersion(invocation, object)),
      oldObject: shown(inHookVersion(invocation, oldObject)),
    },
  });
}

function shown(object: KubeObject | undefined): Json {
  if (object === undefined) return null;
  const { kind, apiVersion, ...rest } = object;
  return { kind, apiVersion, ...rest };
}

/** An `AdmissionRequest` without its uid and objects. */
export function admissionRequest(invocation: Invocation, attributes: AdmissionAttributes): JsonObject {
  const { request, kind, name, operation, dryRun } = attributes;
  const { subresource } = request;
  return defined({
    kind: kindOf(invocation.kind),
    resource: resourceOf(invocation.resource),
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
