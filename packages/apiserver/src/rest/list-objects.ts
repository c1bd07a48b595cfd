import { errorText, apiVersionOf } from '@kubewright/kube';
import { collectionOf } from '../storage/collection-of.ts';
import { position } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import { encodedAs, objectKey, type StoredObject, typeMetaLength } from '../storage/stored-object.ts';
import { badRequest, expired, revisionTooLarge } from '../api-server-error.ts';
import type { ResourceRequest } from './resource-request.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { integerFault } from './integer-fault.ts';
import type { ListOptions } from './list-options.ts';

/** A page of a list. */
export type Page = {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  readonly continueToken?: string;
  readonly remaining?: number;
};

const LIST_TOO_OLD = 'The resourceVersion for the provided list is too old.';
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

/** The objects that a list selects, at the revision that it requests. */
export function listObjects(store: Store, request: ResourceRequest, options: ListOptions): Page {
  const { definition, namespace } = request;
  const collection = collectionOf(store, definition);
  const { revision, start, exact } = place(options, store.revision);
  const entries = collection.at(revision);
  if (entries === undefined) throw expired(options.continueToken === '' ? LIST_TOO_OLD : CONTINUE_TOO_OLD);
  const scope = scopeOf(entries, definition.namespaced ? namespace : '', options.name, start);
  const within = definition.namespaced ? namespace : '';
  return page(entries, scope, unlimitedFromCache(options), {
    revision: exact ? revision : store.revision,
    namespace: within,
  });
}

/** Any state will do: the real server reads its watch cache, which has no pages. */
function unlimitedFromCache(options: ListOptions): ListOptions {
  return options.resourceVersion === '0' && options.continueToken === '' ? { ...options, limit: 0 } : options;
}

type Place = { readonly revision: number; readonly start: string; readonly exact: boolean };

/** At which revision, and after which key. */
function place(options: ListOptions, current: number): Place {
  const { continueToken, resourceVersion, resourceVersionMatch, limit } = options;
  if (continueToken !== '') return placeOf(options, current);
  const wanted = listRevision(resourceVersion);
  if (wanted > current) throw revisionTooLarge(BigInt(resourceVersion), current);
  // A limit with a revision and no rule means that very revision, as it did before there were rules.
  const exact =
    wanted > 0 && (resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0));
  return { revision: exact ? wanted : current, start: '', exact };
}

/** Where a continue token goes on. */
function placeOf({ continueToken, resourceVersion }: ListOptions, current: number): Place {
  if (resourceVersion !== '' && resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const { revision, start } = decodeContinue(continueToken);
  if (revision > current) throw revisionTooLarge(revision, current);
  return revision < 0
    ? { revision: current, start, exact: false }
    : { revision: Number(revision), start, exact: true };
}

function listRevision(text: string): number {
  try {
    return parseRevision(text);
  } catch (error) {
    throw badRequest(`invalid resource version: ${errorText(error)}`);
  }
}

/** A resourceVersion of a query; 0 for none. Throws 400. */
export function parseRevision(text: string): number {
  if (text === '' || text === '0') return 0;
  const fault = integerFault('ParseUint', text);
  if (fault !== undefined)
    throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${fault}`);
  return Number(text);
}

type Scope = { readonly from: number; readonly to: number };

/** The range of entries of a namespace, of one name, or after a key. */
function scopeOf(
  entries: readonly StoredObject[],
  namespace: string,
  name: string | undefined,
  start: string,
): Scope {
  if (namespace === '') return { from: start === '' ? 0 : position(entries, start), to: entries.length };
  const prefix = `${namespace}/`;
  if (name !== undefined && start === '') {
    const from = position(entries, objectKey(namespace, name));
    return { from, to: Math.min(from + 1, entries.length) };
  }
  const from = position(entries, `${prefix}${start}`);
  // '0' is the character after '/': the first key past the namespace.
  return { from, to: position(entries, `${namespace}0`) };
}

function page(
  entries: readonly StoredObject[],
  { from, to }: Scope,
  { limit, matches }: ListOptions,
  { revision, namespace }: { readonly revision: number; readonly namespace: string },
): Page {
  const most = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  const items: StoredObject[] = [];
  let at = from;
  for (const entry of entries.slice(from, to)) {
    if (items.length >= most) break;
    if (matches === undefined || matches(entry.object)) items.push(entry);
    at += 1;
  }
  const last = items.at(-1);
  if (at >= to || last === undefined) return { items, revision };
  const token = encodeContinue(revision, namespace === '' ? last.key : last.name);
  return matches === undefined
    ? { items, revision, continueToken: token, remaining: to - at }
    : { items, revision, continueToken: token };
}

/** `items` as encoded bytes with commas between. Items of a built-in list do not repeat their kind. */
export function itemBytes({ definition }: ResourceRequest, items: readonly StoredObject[]): Uint8Array[] {
  const apiVersion = apiVersionOf(definition);
  const skip = definition.builtIn ? typeMetaLength(apiVersion, definition.kind) : 1;
  const chunks: Uint8Array[] = [];
  for (const item of items) {
    chunks.push(chunks.length === 0 ? OPEN : NEXT, encodedAs(item, definition).subarray(skip));
  }
  return chunks;
}

const OPEN = Buffer.from('{');
const NEXT = Buffer.from(',{');
