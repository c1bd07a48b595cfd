import { type ApiResponse, stringifyJson } from '@kubewright/kube';

const REASONS = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
} as const;

/** What somebody on the way answers in the server's place. A 429 says to come back in a second. */
export function refusal(status: keyof typeof REASONS): ApiResponse {
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
