import type { KubeObject, Status } from '@kubewright/kube';
import { createJsonPatch, type JsonPatchOperation } from '@kubewright/kube/patch';

/** The `Status` of a denial, or a part of it. */
export type AdmissionResult = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/** `admission.k8s.io/v1 AdmissionResponse`, with the patch as operations. */
export type AdmissionResponse = {
  readonly allowed: boolean;
  readonly result?: AdmissionResult;
  /** Of a mutating webhook only. */
  readonly patch?: readonly JsonPatchOperation[];
  /** Warnings for the user; kubectl shows them. Servers truncate texts longer than 120 characters. */
  readonly warnings?: readonly string[];
  /** For the audit log; the server prefixes each key with the webhook's name. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
};

/** Allows the request. */
export function allowed(message: string = ''): AdmissionResponse {
  return { allowed: true, result: { code: 200, ...(message === '' ? {} : { message }) } };
}

/** Denies with 403: `admission webhook "…" denied the request: message`. */
export function denied(message: string): AdmissionResponse {
  return {
    allowed: false,
    result: { code: 403, reason: 'Forbidden', ...(message === '' ? {} : { message }) },
  };
}

/** Allows with the patch from `original` to `mutated`; without one where they are equal. */
export function patched(original: KubeObject, mutated: KubeObject, message: string = ''): AdmissionResponse {
  const patch = createJsonPatch(original, mutated);
  return patch.length === 0 ? allowed(message) : { ...allowed(message), patch };
}

/** The webhook failed: denies with another HTTP status. */
export function errored(code: number, message: string): AdmissionResponse {
  return { allowed: false, result: { code, message } };
}

/** The same with more warnings. */
export function withWarnings(response: AdmissionResponse, ...warnings: readonly string[]): AdmissionResponse {
  return warnings.length === 0
    ? response
    : { ...response, warnings: [...(response.warnings ?? []), ...warnings] };
}
