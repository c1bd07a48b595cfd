import { type Json, type KubeObject, stringifyJson } from '@kubewright/kube';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { admissionRequest } from '../matching/admission-request.ts';
import { inMatchedVersion } from '../matching/match-write.ts';
import type { Invocation } from './invocation.ts';

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
      object: shown(inMatchedVersion(invocation, object)),
      oldObject: shown(inMatchedVersion(invocation, oldObject)),
    },
  });
}

function shown(object: KubeObject | undefined): Json {
  if (object === undefined) return null;
  const { kind, apiVersion, ...rest } = object;
  return { kind, apiVersion, ...rest };
}
