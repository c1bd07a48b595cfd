import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';

/** A part of a kubeconfig, and its place in it: `users[0].user`. Its fields have the types that client-go's have. */
export type Part = { readonly value: JsonObject; readonly path: string };

export function partOf(value: Json | undefined, path: string): Part {
  if (value === undefined || value === null) return { value: {}, path };
  if (isJsonObject(value)) return { value, path };
  throw wrongType(value, path, 'an object');
}

export function part({ value, path }: Part, key: string): Part {
  return partOf(getOwn(value, key), placeOf(path, key));
}

export function parts({ value, path }: Part, key: string): readonly Part[] {
  const place = placeOf(path, key);
  return list(getOwn(value, key), place).map((item, index) => partOf(item, `${place}[${index}]`));
}

/** A text; `undefined` where it is absent, empty or null. */
export function text({ value, path }: Part, key: string): string | undefined {
  return textOf(getOwn(value, key), placeOf(path, key));
}

export function texts({ value, path }: Part, key: string): readonly string[] {
  const place = placeOf(path, key);
  return list(getOwn(value, key), place).map((item, index) => textOf(item, `${place}[${index}]`) ?? '');
}

export function flag({ value, path }: Part, key: string): boolean {
  const found = getOwn(value, key) ?? false;
  if (typeof found === 'boolean') return found;
  throw wrongType(found, placeOf(path, key), 'true or false');
}

/** True where there is anything but null. */
export function has({ value }: Part, key: string): boolean {
  return (getOwn(value, key) ?? null) !== null;
}

function textOf(value: Json | undefined, place: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw wrongType(value, place, 'a text; quote it');
}

function list(value: Json | undefined, place: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (isJsonArray(value)) return value;
  throw wrongType(value, place, 'a list');
}

/** Says nothing of the value, which may be a token. */
function wrongType(value: Json, place: string, expected: string): Error {
  const found = isJsonArray(value) ? 'a list' : NAMES[typeof value];
  return localError('InvalidConfig', `${place} is ${found ?? 'null'}: expected ${expected}`);
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  bigint: 'a number',
  boolean: 'true or false',
  object: 'an object',
};

function placeOf(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
