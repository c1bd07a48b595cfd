import {
  type Client,
  type Clock,
  type Discovered,
  isAborted,
  onAbort,
  type Random,
  type ResourceRef,
  type ServedResource,
} from '@kubewright/client';
import { defined, type Stored } from '@kubewright/kube';
import { type CacheEvent, clientListWatch, Informer, type Logger, type Runnable } from '@kubewright/runtime';

export type MonitorsOptions = {
  /** Reads metadata only. */
  readonly client: Client;
  readonly discover: (signal: AbortSignal) => Promise<Discovered>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Milliseconds between two looks at what is served. */
  readonly resyncMs: number;
  readonly onEvent: (ref: ResourceRef, event: CacheEvent) => void;
};

type Monitor = { readonly ref: ResourceRef; readonly informer: Informer; readonly end: () => void };

/** Kinds come and go with these: what is served is looked at soon after one of them changed. */
const DECLARING = new Set([
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);
const SOON_MS = 1000;
/** Work may begin when everything was listed, or after so long: a kind that cannot be listed must not stop all. */
const SYNC_WITHIN_MS = 30_000;
const NEEDED = ['delete', 'list', 'watch'];

/** Watches the metadata of everything that can be deleted, whatever is served. */
export class Monitors implements Runnable {
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();
  readonly #running = new Set<Promise<void>>();
  #wake: () => void = () => undefined;
  #begun: () => void = () => undefined;
  /** Resolves when discovery has succeeded for the first time. */
  readonly #discovered = new Promise<void>((resolve) => (this.#begun = resolve));

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  resources(): readonly ResourceRef[] {
    return [...this.#monitors.values()].map(({ ref }) => ref);
  }

  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let wait = this.#options.resyncMs;
      try {
        const discovered = await this.#options.discover(signal);
        if (signal.aborted) break;
        this.#follow(discovered, signal);
        this.#begun();
      } catch (error) {
        if (signal.aborted && isAborted(error)) break;
        this.#options.log.warn('discovery failed', { error });
        wait = Math.min(wait, SOON_MS);
      }
      await this.#sleep(wait, signal);
    }
    for (const { end } of this.#monitors.values()) end();
    await Promise.all(this.#running);
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(SYNC_WITHIN_MS, resolve);
      const forget = onAbort(signal, resolve);
      const synced = async (): Promise<void> => {
        await this.#discovered;
        await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.waitForSync(signal)));
      };
      const done = (): void => {
        cancel();
        forget();
        resolve();
      };
      // Where a kind cannot be read, work begins without it.
      synced().then(done, done);
    });
  }

  /** Begins what is new and ends what is no longer served. Where discovery failed, monitors stay. */
  #follow({ resources, stale }: Discovered, signal: AbortSignal): void {
    const wanted = new Map(resources.filter(isCollectable).map(({ ref }) => [keyOf(ref), ref]));
    const before = [...this.#monitors.keys()].join();
    for (const [key, monitor] of this.#monitors) {
      if (wanted.has(key) || stale.includes(groupVersionOf(monitor.ref))) continue;
      this.#monitors.delete(key);
      monitor.end();
      // No more events come for the objects that are left.
      for (const object of monitor.informer.store.values())
        this.#options.onEvent(monitor.ref, { type: 'Delete', object });
    }
    for (const [key, ref] of wanted)
      if (!this.#monitors.has(key)) this.#monitors.set(key, this.#begin(ref, signal));
    if ([...this.#monitors.keys()].join() !== before) this.#options.client.mapper.reset();
  }

  #begin(ref: ResourceRef, signal: AbortSignal): Monitor {
    const { client, clock, random, log, onEvent } = this.#options;
    const informer = new Informer({
      name: `${groupVersionOf(ref)} ${ref.kind}`,
      source: clientListWatch(client, ref, {}),
      clock,
      random,
      log,
      transform: withoutManagedFields,
    });
    const stop = new AbortController();
    const forget = onAbort(signal, () => stop.abort());
    informer.addHandler((event) => {
      if (stop.signal.aborted) return;
      onEvent(ref, event);
      if (DECLARING.has(`${ref.resource}.${ref.group}`)) this.#wake();
    });
    const run: Promise<void> = informer.start(stop.signal).finally(() => {
      forget();
      this.#running.delete(run);
    });
    this.#running.add(run);
    return { ref, informer, end: () => stop.abort() };
  }

  /** Until then, or until soon after something was declared. */
  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const { clock } = this.#options;
      const cancels = [clock.after(ms, () => end())];
      const forget = onAbort(signal, () => end());
      const end = (): void => {
        for (const cancel of cancels) cancel();
        forget();
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake = () => {
        this.#wake = () => undefined;
        cancels.push(clock.after(SOON_MS, end));
      };
      if (signal.aborted) end();
    });
  }
}

/** Events are many and short-lived, and have no owners. */
function isCollectable({ ref, verbs }: ServedResource): boolean {
  const isEvent = ref.resource === 'events' && (ref.group === '' || ref.group === 'events.k8s.io');
  return !isEvent && NEEDED.every((verb) => verbs.includes(verb));
}

function groupVersionOf({ group, version }: ResourceRef): string {
  return group === '' ? version : `${group}/${version}`;
}

function keyOf(ref: ResourceRef): string {
  return `${groupVersionOf(ref)}/${ref.resource}`;
}

/** Of all that is in metadata, the collector reads this. */
function withoutManagedFields({ apiVersion, kind, metadata }: Stored): Stored {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata;
  const kept = { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences };
  return { apiVersion, kind, metadata: defined(kept) };
}
