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
import { parseYaml } from '../../rest/body.ts';
import { goKind } from '../../rest/decode-body.ts';

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

/** Why a response cannot be used. */
export type Unusable = { readonly fault: string };

/** Reads the body of a webhook's response; see `VerifyAdmissionResponse` of `k8s.io/apiserver`. */
export function readResponse(
  body: Uint8Array,
  { uid, version, mutating }: { readonly uid: string; readonly version: string; readonly mutating: boolean },
): HookResponse | Unusable {
  const review = parsed(body, version);
  if ('fault' in review) return review;
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

const NOT_CALLED = 'failed to call webhook: ';
const NO_KIND = "couldn't get version/kind; json parse error: ";
const TYPE_META =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The body as a review of the version that was sent. */
function parsed(body: Uint8Array, version: string): { readonly value: JsonObject } | Unusable {
  let value: Json;
  try {
    // What is no JSON may be YAML: so Go's decoder has it.
    value = body[0] === BRACE ? parseJson(body) : parseYaml(body, false).value;
  } catch (error) {
    return { fault: `${NOT_CALLED}${NO_KIND}${errorText(error)}` };
  }
  if (!isJsonObject(value))
    return { fault: `${NOT_CALLED}${NO_KIND}json: cannot unmarshal ${goKind(value)} into ${TYPE_META}` };
  const fault = foreignKind(stringAt(value, 'apiVersion'), stringAt(value, 'kind'), version);
  return fault === undefined ? { value } : { fault: `${NOT_CALLED}${fault}` };
}

const BRACE = 0x7b;

/** Why the object is no review of this version; absent `apiVersion` and `kind` are accepted. */
function foreignKind(apiVersion: string, kind: string, version: string): string | undefined {
  const wanted = `admission.k8s.io/${version}`;
  if ((apiVersion === '' || apiVersion === wanted) && (kind === '' || kind === 'AdmissionReview'))
    return undefined;
  const [, other] = /^admission\.k8s\.io\/(v1|v1beta1)$/.exec(apiVersion) ?? [];
  if (other !== undefined && kind === 'AdmissionReview')
    return `converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`;
  return `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
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
