import type { Json, JsonObject, Transport } from '@kubewright/kube';

/** A response, read to its end. */
export type Answer = {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: JsonObject;
};

/** Content types by what a patch is. */
export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** One call with a JSON body. A text that is no JSON comes back as `{ text }`. */
export async function call(
  transport: Transport,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: Json,
  contentType = 'application/json',
): Promise<Answer> {
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': contentType }),
  };
  const response = await transport.request({
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.status,
    warnings: warningsOf(response.headers['warning']),
    body: parseOrText(text),
  };
}

/** Warnings one by one, however many headers bear them. */
function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  return text === '' ? [] : text.split(/, (?=299 )/);
}

function parseOrText(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return { text };
  }
}

/** `?a=b&c=d`, without what is undefined; empty when nothing is left. */
export function query(parameters: Readonly<Record<string, string | boolean | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}
