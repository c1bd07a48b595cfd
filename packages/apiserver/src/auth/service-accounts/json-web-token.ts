import { type Json, type JsonObject, isJsonObject, parseJson } from '@kubewright/kube';
import { stringAt } from '../../objects/read.ts';
import type { SigningKey } from './signing-key.ts';

/** Signs claims: a JSON Web Signature in compact form (RFC 7515). */
export function signToken(key: SigningKey, claims: JsonObject): string {
  const head = encode({ alg: key.algorithm, kid: key.id });
  const text = `${head}.${encode(claims)}`;
  return `${text}.${key.sign(text).toString('base64url')}`;
}

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A token that has been read and not yet believed. */
export type JsonWebToken = {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly text: string;
  readonly signature: Uint8Array;
};

/** Without padding, as the form has it. Node would skip what is no digit: one token would have many texts. */
const BASE64_URL = /^[\w-]*$/;

/** Undefined where the text is no token of that form. */
export function readToken(token: string): JsonWebToken | undefined {
  const parts = token.split('.');
  const [head = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3 || !parts.every((part) => BASE64_URL.test(part))) return undefined;
  const [header, claims] = [decode(head), decode(payload)];
  if (header === undefined || claims === undefined) return undefined;
  return { header, claims, text: `${head}.${payload}`, signature: Buffer.from(signature, 'base64url') };
}

function decode(part: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why the signature is not of this key; undefined where it is. The messages are those of Kubernetes' library. */
export function signatureError(
  key: SigningKey,
  { header, text, signature }: JsonWebToken,
): string | undefined {
  const id = stringAt(header, 'kid');
  if (id !== '' && id !== key.id) return 'invalid signature, no keys found';
  if (stringAt(header, 'alg') === key.algorithm && key.verify(text, signature)) return undefined;
  return 'go-jose/go-jose: error in cryptographic primitive';
}
