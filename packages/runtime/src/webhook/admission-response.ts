import type { KubeObject, Status } from '@kubewright/kube';
import { createJsonPatch, type JsonPatchOperation } from '@kubewright/kube/patch';

/** What is told of a refusal: a part of `Status`, or all of it. */
export type AdmissionResult = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/** `admission.k8s.io/v1 AdmissionResponse`, with the patch as operations. */
export type AdmissionResponse = {
  readonly allowed: boolean;
  readonly result?: AdmissionResult;
  /** Of a mutating webhook only. */
  readonly patch?: readonly JsonPatchOperation[];
  /** Shown to who asked, by kubectl in yellow. Servers cut what is longer than 120 characters. */
  readonly warnings?: readonly string[];
  /** For the audit log; the server puts the webhook's name before each key. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
};

/** Nothing speaks against it. */
export function allowed(message: string = ''): AdmissionResponse {
  return { allowed: true, result: { code: 200, ...(message === '' ? {} : { message }) } };
}

/** Refused with 403: `admission webhook "…" denied the request: message`. */
export function denied(message: string): AdmissionResponse {
  return {
    allowed: false,
    result: { code: 403, reason: 'Forbidden', ...(message === '' ? {} : { message }) },
  };
}

/** Allowed with what makes `mutated` of `original`; no patch where they are equal. */
export function patched(original: KubeObject, mutated: KubeObject, message: string = ''): AdmissionResponse {
  const patch = createJsonPatch(original, mutated);
  return patch.length === 0 ? allowed(message) : { ...allowed(message), patch };
}

/** The webhook could not decide: refused with an HTTP status of its own. */
export function errored(code: number, message: string): AdmissionResponse {
  return { allowed: false, result: { code, message } };
}

/** The same with more warnings. */
export function withWarnings(response: AdmissionResponse, ...warnings: readonly string[]): AdmissionResponse {
  return warnings.length === 0
    ? response
    : { ...response, warnings: [...(response.warnings ?? []), ...warnings] };
}
