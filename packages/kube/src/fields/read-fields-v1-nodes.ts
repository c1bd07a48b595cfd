import type { JsonObject } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';

/** The keys of a node in order of the document, each with a way to what lies below. */
export type FieldsV1Entries = readonly (readonly [string, () => FieldsV1Node])[];

/** A node of fieldsV1; `frozen` is where it comes from, if that never changes. */
export type FieldsV1Node =
  | 'invalid'
  | { readonly entries: () => FieldsV1Entries; readonly frozen?: JsonObject };

/** `JSON.parse` merges equal keys; this reads just enough of the text to keep them apart. */
const TOKEN = /\s*([{}:,]|"(?:[^"\\]|\\.)*"|[^\s{}:,"]+)/y;

/** Text behind the object is ignored, as structured-merge-diff 6 does. */
export function readFieldsV1Nodes(text: string): { node: FieldsV1Node; error?: KubeError } {
  const tokens = new RegExp(TOKEN);
  try {
    return { node: readNode(text, tokens) };
  } catch (cause) {
    if (cause instanceof KubeError) return { node: { entries: () => [] }, error: cause };
    throw cause;
  }
}

function next(text: string, tokens: RegExp): string {
  const token = tokens.exec(text)?.[1];
  if (token === undefined)
    throw new KubeError('InvalidFieldsV1', 'invalid fieldsV1: unexpected end of JSON input');
  return token;
}

function readNode(text: string, tokens: RegExp): FieldsV1Node {
  const first = next(text, tokens);
  if (first === 'null') return { entries: () => [] };
  return first === '{' ? readMembers(text, tokens) : 'invalid';
}

function readMembers(text: string, tokens: RegExp): FieldsV1Node {
  const entries: [string, () => FieldsV1Node][] = [];
  let token = next(text, tokens);
  while (token !== '}') {
    const name = JSON.parse(token) as string;
    next(text, tokens);
    const node = readNode(text, tokens);
    entries.push([name, () => node]);
    if (node === 'invalid') break;
    token = next(text, tokens);
    if (token === ',') token = next(text, tokens);
  }
  return { entries: () => entries };
}
