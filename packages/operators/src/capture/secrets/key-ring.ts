import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';

/** A key of 32 bytes. It is never printed: a `KeyObject` has no JSON and no text. */
export type CaptureKey = { readonly id: string; readonly secret: KeyObject };

/** The first key encrypts, each decrypts what names it: to rotate, put a new one first. */
export type KeyRing = readonly [CaptureKey, ...CaptureKey[]];

const KEY_BYTES = 32;
const LINE = /^([A-Za-z0-9][\w.-]{0,62})\s+([A-Za-z0-9+/]{43}=)$/;

/** The keys in a file: on each line an id and the base64 of 32 bytes. Empty lines and `#` comments are ignored. */
export function readKeyRing(path: string): KeyRing {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperatorError('Usage', `the key file cannot be read: ${errorText(error)}`, { cause: error });
  }
  return parseKeyRing(text, path);
}

/** No message contains what a line says: it may be half of a key. */
export function parseKeyRing(text: string, path: string): KeyRing {
  const keys = text.split('\n').flatMap((line, index) => keyIn(line.trim(), `${path}, line ${index + 1}`));
  const [first, ...others] = keys;
  if (first === undefined) throw new OperatorError('Usage', `${path} has no key`);
  const ids = new Set(keys.map(({ id }) => id));
  if (ids.size < keys.length) throw new OperatorError('Usage', `${path} has two keys of one id`);
  return [first, ...others];
}

function keyIn(line: string, place: string): readonly CaptureKey[] {
  if (line === '' || line.startsWith('#')) return [];
  const [, id = '', encoded = ''] = LINE.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === KEY_BYTES) return [{ id, secret: createSecretKey(bytes) }];
  throw new OperatorError('Usage', `${place}: it is not an id and the base64 of ${KEY_BYTES} bytes`);
}
