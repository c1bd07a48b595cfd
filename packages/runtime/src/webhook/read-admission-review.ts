import {
  getOwn,
  isJsonObject,
  type Json,
  KubeError,
  parseBoundedJson,
  parseInSteps,
  shapeOf,
  stringifyJson,
} from '@kubewright/kube';
import { type AdmissionRequest, readAdmissionRequest } from './admission-request.ts';
import type { AdmissionResponse } from './admission-response.ts';

/** Both versions have the same fields; the response is in the version of the request. */
const API_VERSIONS: readonly string[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** The request of an AdmissionReview, or why it is invalid. */
export type ReadReview =
  | { readonly apiVersion: string; readonly request: AdmissionRequest }
  | { readonly problem: string };

/** Bytes of a review beyond which it is parsed in steps. */
const LARGE = 64 * 1024;

/** A large review is read in turns of the loop of its own: between two, `othersFirst` is awaited. */
export async function readAdmissionReview(
  body: Uint8Array,
  othersFirst: () => Promise<void>,
): Promise<ReadReview> {
  try {
    return readReview(body.length > LARGE ? await parseInTurns(body, othersFirst) : parseBoundedJson(body));
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return { problem: `couldn't get version/kind; json parse error: ${error.message}` };
  }
}

async function parseInTurns(body: Uint8Array, othersFirst: () => Promise<void>): Promise<Json> {
  const steps = parseInSteps(body);
  for (;;) {
    const step = steps.next();
    await othersFirst();
    if (step.done === true) return step.value;
  }
}

function readReview(review: Json): ReadReview {
  if (!isJsonObject(review)) return { problem: "couldn't get version/kind; the body is not an object" };
  const apiVersion = getOwn(review, 'apiVersion') ?? API_VERSIONS[0];
  const kind = getOwn(review, 'kind') ?? 'AdmissionReview';
  if (typeof apiVersion !== 'string' || kind !== 'AdmissionReview' || !API_VERSIONS.includes(apiVersion))
    return { problem: `no AdmissionReview of admission.k8s.io, but ${shown(kind)} of ${shown(apiVersion)}` };
  const request = getOwn(review, 'request');
  if (!isJsonObject(request)) return { problem: 'the AdmissionReview has no request' };
  return { apiVersion, request: readAdmissionRequest(request) };
}

/** The encoded review with its response. `apiVersion` is absent where the request could not be read, as in controller-runtime. */
export function writeAdmissionReview(
  response: AdmissionResponse,
  uid: string,
  apiVersion: string | undefined,
): string {
  const typed = apiVersion === undefined ? {} : { kind: 'AdmissionReview', apiVersion };
  return stringifyJson({ ...typed, response: responseOf(response, uid) });
}

function responseOf({ allowed, result, patch, warnings, auditAnnotations }: AdmissionResponse, uid: string) {
  const response: Record<string, Json> = {
    uid,
    allowed,
    status: { metadata: {}, ...result, code: result?.code ?? 200 },
  };
  if (patch !== undefined && patch.length > 0) {
    response['patch'] = Buffer.from(stringifyJson(patch as Json)).toString('base64');
    response['patchType'] = 'JSONPatch';
  }
  if (warnings !== undefined && warnings.length > 0) response['warnings'] = warnings;
  if (auditAnnotations !== undefined) response['auditAnnotations'] = auditAnnotations;
  return response;
}

/** A version or a kind may be shown; what stands in their place may be anything. */
function shown(value: Json | undefined): string {
  return typeof value === 'string' && /^[\w./-]{1,100}$/.test(value) ? `"${value}"` : shapeOf(value);
}
