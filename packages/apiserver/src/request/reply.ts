import { type Json, chunksOfValue, type Status, stringifyJson } from '@kubewright/kube';
import { statusJson } from '../api-server-error.ts';

/** A response before it is bound to a transport: bytes that are all there, or a stream. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: readonly Uint8Array[] | AsyncIterableIterator<Uint8Array>;
};

/** No response: the connection is reset instead. */
export const CUT: Reply = { status: 0, headers: {}, body: [] };

export function isCut({ status }: Reply): boolean {
  return status === 0;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const NEWLINE = Buffer.from('\n');

/** @param read the frozen value of the bytes, for a reader in the same process */
export function bytesReply(status: number, chunks: readonly Uint8Array[], read?: () => Json): Reply {
  const body = [...chunks, NEWLINE];
  return { status, headers: JSON_HEADERS, body: read === undefined ? body : chunksOfValue(body, read) };
}

export function jsonReply(status: number, value: Json): Reply {
  return bytesReply(status, [Buffer.from(stringifyJson(value))]);
}

export function statusReply(status: Status): Reply {
  const reply = jsonReply(status.code, statusJson(status));
  const retry = status.details?.retryAfterSeconds;
  return retry === undefined ? reply : withHeaders(reply, { 'retry-after': String(retry) });
}

export function textReply(status: number, text: string): Reply {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { status, headers, body: [Buffer.from(text)] };
}

export function withHeaders(reply: Reply, headers: Reply['headers']): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** `Warning: 299` headers as Kubernetes quotes them, without duplicates. */
export function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
  if (warnings.length === 0) return reply;
  const values = fitting([...new Set(warnings)]).map((text) => `299 - ${quote(text)}`);
  return withHeaders(reply, { warning: values });
}

/** Where all warnings together are longer than this many characters, each is cut and the rest is left out. */
const ALL_WARNINGS = 4096;
const ONE_WARNING = 256;

/** Every hop limits headers: the warnings of a thousand unknown fields must not lose the response. */
function fitting(warnings: readonly string[]): readonly string[] {
  if (warnings.reduce((sum, text) => sum + text.length, 0) <= ALL_WARNINGS) return warnings;
  const fit: string[] = [];
  let left = ALL_WARNINGS;
  for (const text of warnings) {
    if (left <= 0) break;
    fit.push(text.slice(0, ONE_WARNING));
    left -= Math.min(text.length, ONE_WARNING);
  }
  return fit;
}

function quote(text: string): string {
  // Headers cannot have control characters.
  const clean = text.replaceAll(/\p{Cc}/gu, ' ');
  return `"${clean.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
