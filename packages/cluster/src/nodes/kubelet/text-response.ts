import type { ApiResponse } from '@kubewright/kube';

export function textResponse(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: once(Buffer.from(text)) };
}

export function jsonResponse(status: number, value: object): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: once(Buffer.from(JSON.stringify(value))),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
