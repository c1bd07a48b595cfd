import type { AdmissionContext } from './admission-webhook.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { AdmissionResponse } from './admission-response.ts';

/** The context of a validator or a defaulter. */
export type TypedContext = AdmissionContext & {
  readonly request: AdmissionRequest;
  /** Adds a warning for the user, whether the request is allowed or denied. */
  readonly warn: (text: string) => void;
  /** Adds an audit annotation. */
  readonly audit: (key: string, value: string) => void;
};

export type TypedNotes = {
  readonly context: TypedContext;
  /** The response with the collected warnings and audit annotations. */
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
