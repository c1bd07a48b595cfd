import {
  type Client,
  type Discovered,
  isNotFound,
  type ResourceRef,
  type ServedResource,
} from '@kubewright/client';
import { defined, errorText, getOwn, isJsonObject, type KubeObject, type Stored } from '@kubewright/kube';

/** What became of one resource's objects in a namespace. */
export type ResourceOutcome = {
  readonly ref: ResourceRef;
  readonly remaining: number;
  /** Finalizers of what remains, and on how many objects. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Seconds until it should be gone, as far as pods themselves say. */
  readonly graceSeconds: number;
  readonly error?: string;
};

export type PurgeReport = {
  /** What could not be discovered, in words. */
  readonly discoveryError?: string;
  readonly outcomes: readonly ResourceOutcome[];
};

export type Purger = {
  readonly client: Client;
  /** Reads metadata only. */
  readonly metadata: Client;
  readonly discover: () => Promise<Discovered>;
};

const BACKGROUND = { propagationPolicy: 'Background' } as const;
const PAGE = 500;

/** Deletes everything in a namespace, pods before all else, and says what is left. */
export async function purge(namespace: string, purger: Purger): Promise<PurgeReport> {
  const { resources, error } = await discovered(purger);
  const deletable = resources.filter(({ ref, verbs }) => ref.namespaced && verbs.includes('delete'));
  const pods = deletable.filter(({ ref }) => isPods(ref));
  const outcomes: ResourceOutcome[] = [];
  for (const resource of [...pods, ...deletable.filter(({ ref }) => !isPods(ref))]) {
    outcomes.push(await purgeResource(namespace, resource, purger));
    // What pods still need (their Secrets, their volumes) outlives them.
    if (isPods(resource.ref) && outcomes.some(({ remaining }) => remaining > 0)) break;
  }
  return { outcomes, ...defined({ discoveryError: error }) };
}

async function discovered({ discover }: Purger): Promise<{
  readonly resources: readonly ServedResource[];
  readonly error?: string;
}> {
  try {
    const { resources, stale } = await discover();
    if (stale.length === 0) return { resources };
    const list = stale.toSorted().map((name) => `${name}: stale GroupVersion discovery: ${name}`);
    const why = `unable to retrieve the complete list of server APIs: ${list.join(', ')}`;
    return { resources, error: `Discovery failed for some groups, ${stale.length} failing: ${why}` };
  } catch (error) {
    return { resources: [], error: errorText(error) };
  }
}

async function purgeResource(
  namespace: string,
  resource: ServedResource,
  purger: Purger,
): Promise<ResourceOutcome> {
  const { ref, verbs } = resource;
  const empty = { ref, remaining: 0, finalizers: new Map<string, number>(), graceSeconds: 0 };
  let graceSeconds = 0;
  try {
    if (isPods(ref)) graceSeconds = await podGrace(namespace, ref, purger.client);
    await deleteAll(namespace, resource, purger.metadata);
    const left = verbs.includes('list') ? await listAll(namespace, ref, purger.metadata) : [];
    return { ref, remaining: left.length, finalizers: countFinalizers(left), graceSeconds };
  } catch (error) {
    // The resource went out of service meanwhile.
    if (isNotFound(error)) return empty;
    return { ...empty, graceSeconds, error: errorText(error) };
  }
}

async function deleteAll(namespace: string, { ref, verbs }: ServedResource, client: Client): Promise<void> {
  if (verbs.includes('deletecollection')) return client.deleteAll(ref, { namespace }, BACKGROUND);
  if (!verbs.includes('list')) return;
  for (const { metadata } of await listAll(namespace, ref, client)) {
    await client.delete(ref, { namespace, name: metadata.name }, BACKGROUND).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

async function listAll(namespace: string, ref: ResourceRef, client: Client): Promise<readonly Stored[]> {
  const items: Stored[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(ref, { namespace, limit: PAGE, continue: next });
    items.push(...page.items);
    next = page.continue;
  } while (next !== undefined);
  return items;
}

function countFinalizers(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of objects) {
    for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The longest that a running pod of the namespace may take to end. */
async function podGrace(namespace: string, ref: ResourceRef, client: Client): Promise<number> {
  const pods = await listAll(namespace, ref, client);
  return Math.max(0, ...pods.map(graceOf));
}

function graceOf(pod: KubeObject): number {
  const [spec, status] = [getOwn(pod, 'spec'), getOwn(pod, 'status')];
  const phase = isJsonObject(status) ? getOwn(status, 'phase') : undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return 0;
  const grace = isJsonObject(spec) ? getOwn(spec, 'terminationGracePeriodSeconds') : undefined;
  return typeof grace === 'number' ? grace : 0;
}

function isPods({ group, resource }: ResourceRef): boolean {
  return group === '' && resource === 'pods';
}
