import { type Client, isConflict, type ResourceRef } from '@kubewright/client';
import { parseApiVersion } from '@kubewright/kube';
import type { Action } from './decide.ts';
import type { DependencyGraph, GraphWork } from './dependency-graph.ts';
import type { ObjectReference } from './object-reference.ts';
import { saysAbsent } from './read-live.ts';

/** `stale`: the object had changed, or gone; look again. */
export type Outcome = 'done' | 'stale';

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
      return write(action.identity, client, (ref, key) =>
        client.patch(ref, key, { type: 'merge', body: { metadata: action.metadata } }),
      );
    case 'delete':
      return write(action.identity, client, (ref, key) => {
        const { propagation: propagationPolicy, resourceVersion, identity } = action;
        const preconditions = { uid: identity.uid, resourceVersion };
        return client.delete(ref, key, { propagationPolicy, preconditions });
      });
  }
}

type Key = { readonly namespace?: string; readonly name: string };

async function write(
  { apiVersion, kind, namespace, name }: ObjectReference,
  client: Client,
  call: (ref: ResourceRef, key: Key) => Promise<unknown>,
): Promise<Outcome> {
  const ref = await client.mapper.resolve({ ...parseApiVersion(apiVersion), kind });
  try {
    await call(ref, ref.namespaced ? { namespace, name } : { name });
    return 'done';
  } catch (error) {
    if (isConflict(error) || saysAbsent(error, name)) return 'stale';
    throw error;
  }
}
