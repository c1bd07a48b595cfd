import { type ApiResponse, stringifyJson } from '@kubewright/kube';

const REASONS = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
} as const;

/** The response of a proxy in the server's place. A 429 asks for a retry after a second. */
export function errorResponse(status: keyof typeof REASONS): ApiResponse {
  const reason = REASONS[status];
  const text = stringifyJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `simulated: ${reason}`,
    reason,
    code: status,
  });
  const headers = { 'content-type': 'application/json', ...(status === 429 ? { 'retry-after': '1' } : {}) };
  return { status, headers, body: bodyOf([Buffer.from(text)]) };
}

/** A body that has arrived whole. */
export async function* bodyOf(chunks: readonly Uint8Array[]): AsyncIterableIterator<Uint8Array> {
  yield* chunks;
}
