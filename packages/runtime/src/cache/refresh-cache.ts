import type { Client, Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import { matchesLabels, parseLabelSelector } from '@kubewright/kube/selectors';
import type { Cache } from './cache.ts';
import { keyOfObject } from './object-store.ts';

/** Objects of a kind: those of a namespace, or of all, that match the selector; or one by its name. */
type Part = {
  readonly namespace: string | undefined;
  readonly name?: string | undefined;
  readonly labelSelector?: string;
  readonly signal?: AbortSignal;
};

const PAGE = 500;

/**
 * Reads objects from the server into the cache, whose reads are not older then: for decisions that must not rest on a stale
 * read, where no resourceVersion guards them.
 */
export async function refreshCache<T extends KubeObject>(
  { cache, client }: { readonly cache: Pick<Cache, 'informersOf'>; readonly client: Client },
  ref: Ref<T>,
  part: Part,
): Promise<void> {
  const informers = cache.informersOf(ref);
  const before = informers.map((informer) => informer.list().filter((object) => isMeant(object, part)));
  const listed = new Set<string | undefined>();
  for await (const object of listAll(client, ref, part)) {
    listed.add(object.metadata.uid);
    for (const informer of informers) informer.shown(object);
  }
  for (const [index, informer] of informers.entries()) {
    const gone = (before[index] ?? []).filter(({ metadata }) => !listed.has(metadata.uid));
    for (const object of gone) informer.gone(keyOfObject(object), object.metadata.uid);
  }
}

function isMeant({ metadata }: KubeObject, { namespace, name, labelSelector = '' }: Part): boolean {
  const isHome = (namespace ?? metadata.namespace) === metadata.namespace;
  const isNamed = (name ?? metadata.name) === metadata.name;
  return isHome && isNamed && matchesLabels(parseLabelSelector(labelSelector), metadata.labels);
}

async function* listAll<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  { namespace, name, labelSelector, signal }: Part,
): AsyncGenerator<Stored<T>> {
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  const options = { namespace, labelSelector, fieldSelector, limit: PAGE, signal };
  let next: string | undefined;
  do {
    const page = await client.list(ref, { ...options, continue: next });
    yield* page.items;
    next = page.continue;
  } while (next !== undefined);
}
