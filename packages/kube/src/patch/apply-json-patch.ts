import { KubeError } from '../kube-error.ts';
import { isNestedTooDeep } from '../json/max-json-depth.ts';
import { jsonEqual } from '../json/json-equal.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { isJsonArray, isJsonObject, type Json } from '../json/json.ts';
import { utf8Length } from '../object/utf8-length.ts';
import { JsonPatchDraft } from './json-patch-draft.ts';
import { type Operation, readOperations } from './read-operations.ts';
import { type Container, type JsonPointer, parsePointer } from './json-pointer.ts';

/** kube-apiserver's limit on what all `copy` operations of one patch may add. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902) as kube-apiserver does, its leniencies included: `replace` of a field that is not
 * there adds it, a missing `value` is null, negative indexes count from the end. The document is not changed.
 *
 * Throws {@link KubeError} `MalformedPatch` for what is no patch, `PatchTooLarge` beyond 10,000 operations and
 * `InvalidPatch` if an operation does not apply; messages are those of the library that kube-apiserver uses.
 */
export function applyJsonPatch(document: Json, operations: Json): Json {
  const patch = readOperations(operations);
  if (patch.length === 0) return document;
  if (!isContainer(document)) throw refused('invalid state detected');
  const draft = new JsonPatchDraft(document);
  let copied = 0;
  for (const operation of patch) {
    copied += applyOperation(draft, operation);
    if (copied > MAX_COPIED_BYTES) {
      throw refused(
        `Unable to complete the copy, the accumulated size increase of copy is ${copied}, exceeding the limit ${MAX_COPIED_BYTES}`,
      );
    }
  }
  if (isNestedTooDeep(draft.root)) throw refused('exceeded max depth');
  return draft.root;
}

/** Applies one operation and returns how many bytes it copied. */
function applyOperation(draft: JsonPatchDraft, operation: Operation): number {
  switch (operation.op) {
    case 'add':
      add(draft, operation);
      return 0;
    case 'remove':
      remove(draft, operation);
      return 0;
    case 'replace':
      replace(draft, operation);
      return 0;
    case 'move':
      move(draft, operation);
      return 0;
    case 'test':
      test(draft, operation);
      return 0;
    case 'copy':
      return copy(draft, operation);
    default:
      throw refused(`Unexpected kind: ${operation.op ?? 'unknown'}`);
  }
}

function add(draft: JsonPatchDraft, { path, value }: Operation): void {
  const to = required(path, 'add operation failed to decode path');
  const { pointer } = locate(draft, to, `add operation does not apply: doc is missing path: "${to}"`);
  within(`error in add for path: '${to}'`, () => draft.add(pointer, value));
}

function remove(draft: JsonPatchDraft, { path }: Operation): void {
  const at = required(path, 'remove operation failed to decode path');
  const { pointer } = locate(draft, at, `remove operation does not apply: doc is missing path: "${at}"`);
  within(`error in remove for path: '${at}'`, () => draft.remove(pointer));
}

function replace(draft: JsonPatchDraft, { path, value }: Operation): void {
  const at = required(path, 'replace operation failed to decode path: operation missing path field');
  if (at === '') {
    if (!isContainer(value)) throw refused('replace operation value must be object or array: %!w(<nil>)');
    draft.root = value;
    return;
  }
  const { pointer, parent } = locate(
    draft,
    at,
    `replace operation does not apply: doc is missing path: ${at}`,
  );
  try {
    draft.get(pointer, parent);
  } catch {
    throw refused(`replace operation does not apply: doc is missing key: ${at}: missing value`);
  }
  draft.replace(pointer, value);
}

function move(draft: JsonPatchDraft, { from, path }: Operation): void {
  const source = required(from, 'move operation failed to decode from: operation, missing from field');
  const found = locate(draft, source, `move operation does not apply: doc is missing from path: ${source}`);
  const { pointer } = found;
  const value = within(`error in move for path: '${pointer.key}'`, () => {
    const value = draft.get(pointer, found.parent);
    draft.remove(pointer);
    return value;
  });
  const to = required(path, 'move operation failed to decode path: operation missing path field');
  const target = locate(draft, to, `move operation does not apply: doc is missing destination path: ${to}`);
  within(`error in move for path: '${to}'`, () => draft.add(target.pointer, value ?? null));
}

function test(draft: JsonPatchDraft, { path, value }: Operation): void {
  const at = required(path, 'test operation failed to decode path: operation missing path field');
  const failed = refused(`testing value ${at} failed: test failed`);
  if (at === '') {
    if (!jsonEqual(draft.root, value)) throw failed;
    return;
  }
  const { pointer, parent } = locate(draft, at, `test operation does not apply: is missing path: ${at}`);
  const actual = within(`error in test for path: '${at}'`, () => draft.get(pointer, parent));
  if (!jsonEqual(actual ?? null, value)) throw failed;
}

/** A name that is not there is copied as null. */
function copy(draft: JsonPatchDraft, { from, path }: Operation): number {
  const source = required(from, 'copy operation failed to decode from: operation, missing from field');
  const found = locate(draft, source, `copy operation does not apply: doc is missing from path: ${source}`);
  const value = within(`error in copy for from: '${source}'`, () => draft.get(found.pointer, found.parent));
  const to = required(path, 'copy operation failed to decode path');
  const { pointer } = locate(
    draft,
    to,
    `copy operation does not apply: doc is missing destination path: ${to}`,
  );
  draft.share();
  within('error while adding value during copy', () => draft.add(pointer, value ?? null));
  return value === undefined || value === null ? 0 : utf8Length(stringifyJson(value));
}

type Located = { readonly pointer: JsonPointer; readonly parent: Container };

function locate(draft: JsonPatchDraft, path: string, failure: string): Located {
  const pointer = parsePointer(path);
  const parent = pointer && draft.has(pointer);
  if (!parent) throw refused(`${failure}: missing value`);
  return { pointer, parent };
}

function required(path: string | undefined, failure: string): string {
  if (path === undefined) throw refused(`${failure}: missing value`);
  return path;
}

/** Runs a step and adds its context to an error. */
function within<T>(context: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new KubeError('InvalidPatch', `${context}: ${error.message}`, { cause: error });
  }
}

function isContainer(value: Json): value is Container {
  return isJsonObject(value) || isJsonArray(value);
}

function refused(message: string): KubeError {
  return new KubeError('InvalidPatch', message);
}
