import { headers, Match, type MsgHdrs } from '@nats-io/transport-node';
import type { Message } from '../messages.ts';
import { messageOf } from '../message-of.ts';

/** What a message is in a stream. */
export type Encoded = { readonly data: Uint8Array; readonly headers: MsgHdrs };

const TYPE = 'Content-Type';
/** The headers of a message, as JSON: NATS has texts alone, and the types of numbers and booleans matter. */
const HEADERS = 'Ms2m-Headers';
/** Of what is sent straight to a queue: it comes after this message of the log that the queue reads. */
const AFTER = 'Ms2m-After';
const OURS = /^(?:nats-|ms2m-after$|ms2m-headers$|content-type$)/i;

/** `after`: a sequence number of the log. */
export function encodeMessage({ body, headers: own }: Message, after?: number): Encoded {
  const encoded = headers();
  const [type, data] = encodeBody(body);
  encoded.set(TYPE, type);
  if (own !== undefined) encoded.set(HEADERS, asciiJson(own));
  if (after !== undefined) encoded.set(AFTER, String(after));
  return { data, headers: encoded };
}

function encodeBody(body: unknown): readonly [type: string, data: Uint8Array] {
  if (typeof body === 'string') return ['text/plain', Buffer.from(body)];
  if (body instanceof Uint8Array) return ['application/octet-stream', body];
  return ['application/json', Buffer.from(JSON.stringify(body ?? null))];
}

export function decodeMessage({ data, headers: encoded }: Encoded): Message {
  const plain = [...encoded].filter(([name]) => !OURS.test(name)).map(([name, [value]]) => [name, value]);
  const ours = ownHeaders(encoded.get(HEADERS, Match.IgnoreCase));
  return messageOf({ body: decodeBody(encoded, data), headers: { ...Object.fromEntries(plain), ...ours } });
}

/** 0 where it says none, or not one that could be. */
export function placeOf({ headers: encoded }: Encoded): number {
  const after = Number(encoded.get(AFTER, Match.IgnoreCase));
  return Number.isSafeInteger(after) && after > 0 ? after : 0;
}

/** What names no type is JSON if it is an object: producers of NATS mostly name none. */
function decodeBody(encoded: MsgHdrs, data: Uint8Array): unknown {
  const bytes = Buffer.from(data);
  const [type = ''] = encoded.get(TYPE, Match.IgnoreCase).split(';');
  if (type === 'text/plain') return bytes.toString();
  const isJson = type === 'application/json' || (type === '' && bytes[0] === '{'.codePointAt(0));
  const value = isJson ? jsonOf(bytes.toString()) : undefined;
  return value === undefined ? bytes : value;
}

function ownHeaders(text: string): Readonly<Record<string, unknown>> {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Undefined for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
