import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  stringifyJson,
} from '@kubewright/kube';
import type { Errors } from './errors.ts';
import { internalType, type ShownField } from './internal-type.ts';
import { objectAt, sortedEntries } from '../objects/read.ts';

/** What Go prints for an unset scalar; also the names of all scalar forms. */
const ZERO: Readonly<Record<string, string>> = {
  s: '""',
  i: '0',
  b: 'false',
  y: 'null',
  q: '"0"',
  o: '0',
  d: '"0s"',
  t: 'null',
  x: 'null',
};

/**
 * A v1 value as kube-apiserver shows it in a message: the JSON of its internal Go type. `form` is the name of a type of
 * `data/internal-types.json`, such as `core.PodSpec`; `?` before it says that nothing is a nil pointer and no zero
 * struct, `*` a list.
 */
export function shownAs(form: string, value: Json | undefined): string {
  const inner = form.slice(1);
  switch (form.charAt(0)) {
    case '?':
      return value === undefined || value === null ? 'null' : shownAs(inner, value);
    case '*':
      return isJsonArray(value) ? `[${value.map((item) => shownAs(inner, item)).join()}]` : 'null';
    case '%':
      return isJsonObject(value)
        ? inBraces(sortedEntries(value).map(([key, item]) => [key, shownAs(inner, item)]))
        : 'null';
    default:
      return ZERO[form] === undefined ? struct(form, isJsonObject(value) ? value : {}) : scalar(form, value);
  }
}

/** The errors, each with its value shown as `form`. */
export function showing(form: string, errors: Errors): Errors {
  return errors.map((error) =>
    error.value === undefined ? error : { ...error, shown: shownAs(form, error.value) },
  );
}

function scalar(form: string, value: Json | undefined): string {
  return value === undefined || value === null ? (ZERO[form] ?? '') : goText(value);
}

function struct(name: string, value: JsonObject): string {
  const from = name === 'core.PodSpec' ? withHostNamespaces(value) : value;
  return inBraces(
    internalType(name).flatMap((field) => {
      const text = shownAs(field.form, valueOf(field, from));
      return field.optional && isZero(field.form, text) ? [] : [[field.name, text] as const];
    }),
  );
}

function valueOf({ path }: ShownField, object: JsonObject): Json | undefined {
  return getOwn(objectAt(object, ...path.slice(0, -1)), path.at(-1) ?? '');
}

/** `omitempty` and `omitzero`, which differ for types that are not shown. */
function isZero(form: string, text: string): boolean {
  return text === 'null' || text === ZERO[form] || text === '[]' || text === '{}';
}

function inBraces(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, text]) => `${goText(key)}:${text}`).join()}}`;
}

/** Go escapes what means something in HTML. */
function goText(value: Json): string {
  return stringifyJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Who shares what with its node stands in the internal security context, which every pod therefore has. */
function withHostNamespaces(spec: JsonObject): JsonObject {
  const moved = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'].map(
    (key) => [key, getOwn(spec, key) ?? null] as const,
  );
  return { ...spec, securityContext: { ...objectAt(spec, 'securityContext'), ...Object.fromEntries(moved) } };
}
