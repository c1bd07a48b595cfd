import {
  defined,
  errorText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from '@kubewright/kube';
import { quoteGo } from '@kubewright/kube/validation';
import { maybeObject, maybeString, stringAt } from '../../objects/read.ts';
import { goKind } from '../../rest/decode-body.ts';
import { readReview, type Unusable } from './read-review.ts';

/** The response of a webhook. */
export type HookResponse = {
  readonly allowed: boolean;
  /** A `Status` as it was sent. */
  readonly result: JsonObject | undefined;
  /** Operations of a JSON patch, or an `undecodable` text in their stead; absent where nothing is to be changed. */
  readonly patch?: Json;
  readonly warnings: readonly string[];
  readonly annotations: readonly (readonly [string, string])[];
};

/** Reads the body of a webhook's response; see `VerifyAdmissionResponse` of `k8s.io/apiserver`. */
export function readResponse(
  body: Uint8Array,
  { uid, version, mutating }: { readonly uid: string; readonly version: string; readonly mutating: boolean },
): HookResponse | Unusable {
  const review = readReview(body, { group: 'admission.k8s.io', kind: 'AdmissionReview', version });
  if ('fault' in review) return { fault: `failed to call webhook: ${review.fault}` };
  const response = maybeObject(review.value, 'response');
  const fault = faultOf(review.value, response, { uid, version, mutating });
  if (fault !== undefined || response === undefined)
    return { fault: `received invalid webhook response: ${fault}` };
  const patch = mutating ? patchOf(response) : undefined;
  if (isUnusable(patch)) return patch;
  return {
    allowed: getOwn(response, 'allowed') === true,
    result: maybeObject(response, 'status'),
    warnings: textsOf(getOwn(response, 'warnings')),
    annotations: pairsOf(getOwn(response, 'auditAnnotations')),
    ...defined({ patch }),
  };
}

function isUnusable(patch: Json | Unusable | undefined): patch is Unusable {
  return typeof patch === 'object' && patch !== null && Object.hasOwn(patch, 'fault');
}

type Expected = { readonly uid: string; readonly version: string; readonly mutating: boolean };

function faultOf(
  review: JsonObject,
  response: JsonObject | undefined,
  expected: Expected,
): string | undefined {
  if (response === undefined) return 'webhook response was absent';
  // The old version was never checked for more.
  if (expected.version !== 'v1') return undefined;
  const uid = stringAt(response, 'uid');
  if (uid !== expected.uid) return `expected response.uid=${quoteGo(expected.uid)}, got ${quoteGo(uid)}`;
  const kind = stringAt(review, 'kind');
  const apiVersion = stringAt(review, 'apiVersion');
  if (kind !== 'AdmissionReview' || apiVersion !== 'admission.k8s.io/v1')
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${goType(apiVersion)}, Kind=${kind}`;
  return expected.mutating ? mutatingFault(response) : validatingFault(response);
}

function goType(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}

function mutatingFault(response: JsonObject): string | undefined {
  const patch = stringAt(response, 'patch');
  const type = maybeString(response, 'patchType');
  if (patch !== '' && type === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && type !== undefined) return 'webhook returned response.patchType but not response.patch';
  return type === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function validatingFault(response: JsonObject): string | undefined {
  if (stringAt(response, 'patch') !== '') return 'validating webhook may not return response.patch';
  if (maybeString(response, 'patchType') !== undefined)
    return 'validating webhook may not return response.patchType';
  return undefined;
}

/** The operations; undefined where there are none. */
function patchOf(response: JsonObject): Json | Unusable | undefined {
  const text = stringAt(response, 'patch');
  if (text === '') return undefined;
  const type = maybeString(response, 'patchType') ?? 'JSONPatch';
  let operations: Json;
  try {
    operations = parseJson(Buffer.from(text, 'base64'));
  } catch (error) {
    return { fault: `received undecodable patch in webhook response: ${errorText(error)}` };
  }
  if (!isJsonArray(operations)) {
    const why = `json: cannot unmarshal ${goKind(operations)} into Go value of type jsonpatch.Patch`;
    return { fault: `received undecodable patch in webhook response: ${why}` };
  }
  if (operations.length === 0) return undefined;
  return type === 'JSONPatch' ? operations : { fault: `unsupported patch type ${quoteGo(type)}` };
}

function textsOf(value: Json | undefined): string[] {
  return isJsonArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function pairsOf(value: Json | undefined): [string, string][] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : []));
}
