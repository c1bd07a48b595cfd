import type { ApiRequest, Json, JsonObject, Transport } from '@kubewright/kube';
import { defined, parseJson, stringifyJson } from '@kubewright/kube';

/** An answer with its body parsed. */
type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
  /** The body as a JSON object; throws when it is none. */
  readonly json: JsonObject;
};

export type Call = (
  method: ApiRequest['method'],
  path: string,
  body?: Json | string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Calls over a transport in one line: `await call('GET', '/api/v1/namespaces')`. */
export function caller(transport: Transport): Call {
  return async (method, path, body, headers = {}) => {
    const request = { method, path, headers: { 'content-type': 'application/json', ...headers } };
    const sent = body === undefined ? request : { ...request, body: textOf(body) };
    const response = await transport.request(sent);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json() {
        return parseJson(text) as JsonObject;
      },
    };
  };
}

function textOf(body: Json | string): string {
  return typeof body === 'string' ? body : stringifyJson(body);
}

/** Reads the events of a watch as they come. */
export async function* watchEvents(
  transport: Transport,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<{ type: string; object: JsonObject }, undefined> {
  const request: ApiRequest = {
    method: 'GET',
    path,
    headers: {},
    ...defined({ signal }),
  };
  const { body } = await transport.request(request);
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + Buffer.from(chunk).toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parseJson(line) as never;
  }
}
