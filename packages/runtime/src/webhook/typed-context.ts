import type { AdmissionContext } from './admission-webhook.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { AdmissionResponse } from './admission-response.ts';

/** What a validator or a defaulter is given beside the object. */
export type TypedContext = AdmissionContext & {
  readonly request: AdmissionRequest;
  /** Warns who asked, whatever comes of the request. */
  readonly warn: (text: string) => void;
  /** Adds to the audit log's entry of the request. */
  readonly audit: (key: string, value: string) => void;
};

export type TypedNotes = {
  readonly context: TypedContext;
  /** The response with what was noted on the way. */
  readonly complete: (response: AdmissionResponse) => AdmissionResponse;
};

export function noteTyped(request: AdmissionRequest, { log, signal }: AdmissionContext): TypedNotes {
  const warnings: string[] = [];
  const annotations = new Map<string, string>();
  return {
    context: {
      request,
      log,
      signal,
      warn: (text) => void warnings.push(text),
      audit: (key, value) => void annotations.set(key, value),
    },
    complete: (response) => ({
      ...response,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(annotations.size === 0 ? {} : { auditAnnotations: Object.fromEntries(annotations) }),
    }),
  };
}
