import { type Client, isConflict, type ResourceRef } from '@kubewright/client';
import { type Json, jsonEqual, type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { Action } from './decide.ts';
import type { DependencyGraph, GraphWork } from './dependency-graph.ts';
import type { ObjectReference } from './object-reference.ts';
import { saysAbsent } from './read-live.ts';

/**
 * `stale`: the object had changed, or gone; look again. `undone`: the response is 200, but a webhook kept owners;
 * what relies on the write must not follow.
 */
export type Outcome = 'done' | 'stale' | 'undone';

export type Actor = {
  readonly client: Client;
  readonly graph: DependencyGraph;
  /** Takes what comes of a change of the graph. */
  readonly onWork: (work: GraphWork) => void;
};

/** Carries out one action. */
export async function act(action: Action, { client, graph, onWork }: Actor): Promise<Outcome> {
  switch (action.type) {
    case 'attempt':
      onWork({ attempts: new Set(action.uids), misplaced: [] });
      return 'done';
    case 'confirmAbsent':
      onWork(graph.confirmAbsent(action.identity));
      return 'done';
    case 'patch':
      return write(action.identity, client, async (ref, key) => {
        const { metadata } = action;
        const stored = await client.patch(ref, key, { type: 'merge', body: { metadata } });
        return hasOwners(stored, metadata['ownerReferences']) ? 'done' : 'undone';
      });
    case 'delete':
      return write(action.identity, client, async (ref, key) => {
        const { propagation: propagationPolicy, resourceVersion, identity } = action;
        const preconditions = { uid: identity.uid, resourceVersion };
        await client.delete(ref, key, { propagationPolicy, preconditions });
        return 'done';
      });
  }
}

/** Whether the owners are those that were asked for; undefined: none were. */
function hasOwners({ metadata }: KubeObject, asked: Json | undefined): boolean {
  if (asked === undefined) return true;
  const owners: Json = (metadata.ownerReferences ?? []).map((owner) => ({ ...owner }));
  return jsonEqual(owners, asked);
}

type Key = { readonly namespace?: string; readonly name: string };

async function write(
  { apiVersion, kind, namespace, name }: ObjectReference,
  client: Client,
  call: (ref: ResourceRef, key: Key) => Promise<Outcome>,
): Promise<Outcome> {
  const ref = await client.mapper.resolve({ ...parseApiVersion(apiVersion), kind });
  try {
    return await call(ref, ref.namespaced ? { namespace, name } : { name });
  } catch (error) {
    if (isConflict(error) || saysAbsent(error, name)) return 'stale';
    throw error;
  }
}
