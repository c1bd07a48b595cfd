import { errorText, isJsonObject, type Json, parseJson } from '@kubewright/kube';
import { badRequest } from '../api-server-error.ts';
import { goKind } from './decode-body.ts';

/** Where a page ends: the revision of the list and the last key, within the namespace if it has one. */
export type ContinueToken = { readonly revision: number | bigint; readonly start: string };

/** Tokens that this server hands out and those of a real one look the same. */
export function encodeContinue(revision: number, lastKey: string): string {
  const token = { v: VERSION, rv: revision, start: `${lastKey}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Throws 400, in the words of Go's decoder. */
export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = fieldsOf(token);
  if (v !== VERSION) reject(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) reject(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') reject(`: encoded start key empty (version ${VERSION})`);
  if (!isCleanPath(start)) reject(`: ${start}`);
  return { revision: rv, start };
}

const VERSION = 'meta.k8s.io/v1';
type Fields = { v: string; rv: number | bigint; start: string };

/** Go finds the fields by their names in any case; null leaves one as it is. */
function fieldsOf(token: string): Fields {
  const value = parse(token);
  if (!isJsonObject(value))
    return reject(`: json: cannot unmarshal ${goKind(value)} into Go value of type storage.continueToken`);
  const fields: Fields = { v: '', rv: 0, start: '' };
  for (const [key, member] of Object.entries(value)) {
    const name = key.toLowerCase();
    if (member === null || !isField(name)) continue;
    const type = name === 'rv' ? 'int64' : 'string';
    const fits =
      name === 'rv' ? typeof member === 'bigint' || Number.isSafeInteger(member) : typeof member === type;
    if (!fits)
      reject(
        `: json: cannot unmarshal ${shown(name, member)} into Go struct field continueToken.${name} of type ${type}`,
      );
    Object.assign(fields, { [name]: member });
  }
  return fields;
}

function isField(name: string): name is keyof Fields {
  return name === 'v' || name === 'rv' || name === 'start';
}

/** A number that is to be an integer is shown. */
function shown(name: keyof Fields, value: Json): string {
  if (name !== 'rv' || typeof value !== 'number') return goKind(value);
  return `number ${Number.isInteger(value) ? BigInt(value) : value}`;
}

function parse(token: string): Json {
  const bad = badBase64At(token);
  if (bad !== undefined) return reject(`: illegal base64 data at input byte ${bad}`);
  try {
    return parseJson(Buffer.from(token, 'base64url'));
  } catch (error) {
    return reject(`: ${errorText(error)}`);
  }
}

/** Where Go's decoder of unpadded base64 stops: at what is no digit, or at a digit too many. */
function badBase64At(text: string): number | undefined {
  const wrong = text.search(/[^\w\r\n-]/);
  if (wrong !== -1) return wrong;
  const digits = [...text.matchAll(/[\w-]/g)];
  return digits.length % 4 === 1 ? digits.at(-1)?.index : undefined;
}

/** A key that leads nowhere else: Go's `path.Clean` leaves it as it is. */
function isCleanPath(key: string): boolean {
  const parts = (key.startsWith('/') ? key.slice(1) : key).split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

function reject(why: string): never {
  throw badRequest(`invalid continue token: continue key is not valid${why}`);
}
