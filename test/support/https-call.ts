import { type RequestOptions, request } from 'node:https';
import type { Json, JsonObject } from '@kubewright/kube';

/** The credentials of a client; none for anonymous. */
export type ShownIdentity = {
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string | string[]>>;
};

export type HttpsAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly body: JsonObject;
};

function optionsOf(ca: string, method: string, shown: ShownIdentity, body: Json | undefined): RequestOptions {
  const { token, certificate, headers } = shown;
  return {
    ca,
    method,
    // Each call is a connection of its own: the certificate belongs to the connection.
    agent: false,
    ...certificate,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  };
}

/** One call over a connection of its own, by whoever is shown. */
export function httpsCall(
  server: { readonly url: string; readonly caCert: string },
  method: string,
  path: string,
  shown: ShownIdentity = {},
  body?: Json,
): Promise<HttpsAnswer> {
  return new Promise((resolve, reject) => {
    const options = optionsOf(server.caCert, method, shown, body);
    const call = request(`${server.url}${path}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text, body: jsonOrNothing(text) });
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function jsonOrNothing(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
