import type { GroupResource } from '@kubewright/apiserver';
import {
  type Client,
  type Clock,
  type Discovered,
  onAbort,
  type Random,
  type ResourceRef,
} from '@kubewright/client';
import { aborted, defined, type Stored } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { type CacheEvent, clientListWatch, Informer, type Logger, type Runnable } from '@kubewright/runtime';

export type ObjectMonitorsOptions = {
  /** Reads metadata only. */
  readonly client: Client;
  readonly discover: () => Promise<Discovered>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onEvent: (resource: GroupResource, event: CacheEvent) => void;
  /** From now on nothing is missed: what went before may have been counted. */
  readonly onSynced: (resource: GroupResource) => void;
};

type Monitor = { readonly ref: ResourceRef; readonly end: () => void };

const NEEDED = ['create', 'delete', 'list', 'watch'];
/** What is not served is asked for again after this long. */
const FRESH_MS = 30_000;

/** Watches the metadata of what quotas count beyond the kinds that everybody caches; nothing where none does. */
export class ObjectMonitors implements Runnable {
  readonly #options: ObjectMonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();
  readonly #running = new Set<Promise<void>>();
  #served: { readonly at: number; readonly refs: ReadonlyMap<string, ResourceRef> } | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: ObjectMonitorsOptions) {
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await aborted(signal);
    await Promise.all(this.#running);
  }

  /** Watches these, and no others. */
  async follow(wanted: readonly GroupResource[]): Promise<void> {
    const keys = new Set(wanted.map(keyOf));
    for (const [key, { end }] of this.#monitors) {
      if (keys.has(key)) continue;
      this.#monitors.delete(key);
      end();
    }
    for (const resource of wanted) {
      const key = keyOf(resource);
      const ref = this.#monitors.has(key) ? undefined : await this.refOf(resource);
      if (ref !== undefined && !this.#monitors.has(key)) this.#begin(resource, ref);
    }
  }

  /** Where objects of a resource are; undefined where it is not served, or cannot be counted. */
  async refOf(resource: GroupResource): Promise<ResourceRef | undefined> {
    const now = this.#options.clock.now();
    const known = this.#served?.refs.get(keyOf(resource));
    if (known !== undefined || (this.#served !== undefined && now - this.#served.at < FRESH_MS)) return known;
    const { resources } = await this.#options.discover();
    const countable = resources.filter(
      ({ ref, verbs }) => ref.namespaced && NEEDED.every((verb) => verbs.includes(verb)),
    );
    const refs = new Map(countable.map(({ ref }) => [keyOf(ref), ref]));
    this.#served = { at: now, refs };
    return refs.get(keyOf(resource));
  }

  #begin(resource: GroupResource, ref: ResourceRef): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    const { client, clock, random, log, onEvent, onSynced } = this.#options;
    const source = clientListWatch(client, ref, {});
    const informer = new Informer({ name: ref.kind, source, clock, random, log, transform: identityOnly });
    const stop = new AbortController();
    const forget = onAbort(signal, () => stop.abort());
    informer.addHandler((event) => {
      if (!stop.signal.aborted) onEvent(resource, event);
    });
    const synced = async (): Promise<void> => {
      await informer.waitForSync(stop.signal);
      if (!stop.signal.aborted) onSynced(resource);
    };
    detach(synced, (error) => log.error('a quota could not be counted anew', { error }));
    const run: Promise<void> = informer.start(stop.signal).finally(() => {
      forget();
      this.#running.delete(run);
    });
    this.#running.add(run);
    this.#monitors.set(keyOf(resource), { ref, end: () => stop.abort() });
  }
}

function keyOf({ group, resource }: GroupResource): string {
  return `${resource}.${group}`;
}

function identityOnly({ apiVersion, kind, metadata }: Stored): Stored {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: defined({ name, namespace, uid, resourceVersion }) };
}
