import { isNotFound, type ResourceRef } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { NodeWithDependents } from './graph-node.ts';
import { type ObjectReference, place } from './object-reference.ts';
import { type Observer, readLive } from './read-live.ts';

const PAGE = 500;

/** An object that refers to another, as the server has it. */
export type LiveDependent = { readonly identity: ObjectReference; readonly object: Stored };

/**
 * Every object that refers to an owner, read from the server: a dependent that no watch has delivered yet would be
 * collected later, when its owner is gone and its reference still there.
 */
export async function listDependents(
  { identity, dependents }: NodeWithDependents,
  observer: Observer,
): Promise<readonly LiveDependent[]> {
  const listed = await dependentsInPlace(identity, observer);
  const known = new Set(listed.map((dependent) => dependent.identity.uid));
  // And those that refer to it from where they may not: they lose the reference too.
  const elsewhere: LiveDependent[] = [];
  for (const dependent of dependents.filter((one) => !known.has(one.identity.uid))) {
    const object = await readLive(dependent.identity, observer);
    if (typeof object !== 'string') elsewhere.push({ identity: dependent.identity, object });
  }
  return [...listed, ...elsewhere].filter(({ object }) => refers(object, identity.uid));
}

async function dependentsInPlace(
  { namespace, uid }: ObjectReference,
  observer: Observer,
): Promise<readonly LiveDependent[]> {
  const found: LiveDependent[] = [];
  // What has no namespace cannot depend on what has one.
  for (const ref of observer.resources().filter(({ namespaced }) => namespaced || namespace === '')) {
    for (const object of await listAll(ref, namespace, observer))
      if (refers(object, uid)) found.push({ identity: place(ref, object), object });
  }
  return found;
}

function refers({ metadata }: Stored, uid: string): boolean {
  return metadata.ownerReferences?.some((reference) => reference.uid === uid) === true;
}

async function listAll(
  ref: ResourceRef,
  namespace: string,
  { client }: Observer,
): Promise<readonly Stored[]> {
  const items: Stored[] = [];
  const scope = namespace === '' ? {} : { namespace };
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await listPage(ref, { ...scope, limit: PAGE, continue: next }, client);
    items.push(...page.items);
    next = page.continue;
  }
  return items;
}

async function listPage(
  ref: ResourceRef,
  options: Parameters<Observer['client']['list']>[1],
  client: Observer['client'],
): ReturnType<Observer['client']['list']> {
  try {
    return await client.list(ref, options);
  } catch (error) {
    // The resource is no longer served, and what was in it is gone.
    if (isNotFound(error)) return { items: [], resourceVersion: '' };
    throw error;
  }
}
