import { type JsonObject, stringifyJson } from '@kubewright/kube';
import type { ExtensionResponse } from '@kubewright/runtime';

export function jsonResponse(status: number, value: JsonObject): ExtensionResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: stringifyJson(value) };
}

/** A failure as an API server responds with one. */
export function statusResponse(code: number, reason: string, message: string): ExtensionResponse {
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return jsonResponse(code, { ...head, message, reason, code });
}
