import assert from 'node:assert/strict';
import {
  type ApiRequest,
  type ApiResponse,
  type Json,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';

/** A response of the script: `json` is its body, `lines` are those of a watch. */
export type ScriptedResponse = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly text?: string;
  /** Chunks of the body as they arrive. */
  readonly chunks?: readonly string[];
  /** The request fails with this error. */
  readonly fails?: Error;
};

export type ScriptedTransport = Transport & { readonly requests: ApiRequest[] };

/** Responds to requests in the order of the script, and records them. */
export function scriptedTransport(script: readonly ScriptedResponse[]): ScriptedTransport {
  const left = [...script];
  const requests: ApiRequest[] = [];
  return {
    requests,
    async request(request) {
      requests.push(request);
      const next = left.shift();
      assert(next !== undefined, `no response left for ${request.method} ${request.path}`);
      if (next.fails !== undefined) throw next.fails;
      return respond(next);
    },
    async close() {},
  };
}

function respond({ status = 200, headers = {}, json, text, chunks }: ScriptedResponse): ApiResponse {
  const parts = chunks ?? [text ?? (json === undefined ? '' : stringifyJson(json))];
  return {
    status,
    headers,
    body: (async function* () {
      for (const part of parts) yield Buffer.from(part);
    })(),
  };
}
