import { checkRef, type Ref } from '@kubewright/client';
import { aborted, defined, type KubeObject, onAbort } from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';
import type { CachedKind, CacheOptions } from './cache.ts';
import type { KindHealth } from './cache-health.ts';
import { clientListWatch } from './client-list-watch.ts';
import { Informer } from './informer.ts';
import { partIn, sameSettings } from './part-of.ts';
import { selects } from './selection.ts';
import { whereServed } from './where-served.ts';

type Known = { readonly ref: Ref; readonly settings: CachedKind; readonly informer: Informer };

/**
 * The informers of a cache: one per kind, and one per named part of a kind.
 *
 * Invariant: once the set is started, every informer in it runs, and `start` resolves only when all have ended.
 */
export class InformerSet {
  readonly #options: CacheOptions;
  readonly #informers = new Map<string, Known>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;
  readonly #onStart: (() => void)[] = [];

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** Throws `InvalidState` when it already exists with another selection or transform. */
  begin<T extends KubeObject>(ref: Ref<T>, settings?: CachedKind): Informer<T> {
    const name = refName(ref);
    const wanted = partIn(ref)?.settings ?? settings;
    const known = this.#informers.get(name);
    if (known !== undefined) {
      if (wanted === undefined || sameSettings(known.settings, wanted)) return typed(known.informer);
      throw new RuntimeError('InvalidState', `${name} is cached with other settings already: use partOf`);
    }
    const informer = createInformer(name, ref, this.#options, { ...this.#options.defaults, ...wanted });
    this.#informers.set(name, { ref, settings: wanted ?? {}, informer });
    if (this.#signal !== undefined) this.#launch(informer, this.#signal);
    return typed(informer);
  }

  /** Throws `NotCached` for a kind without an informer. */
  get<T extends KubeObject>(ref: Ref<T>): Informer<T> {
    const known = this.#informers.get(refName(ref));
    if (known === undefined)
      throw new RuntimeError(
        'NotCached',
        `${refName(ref)} is not cached: add a source for it (watchKind, watchOwned)`,
      );
    return typed(known.informer);
  }

  /** The informers of a kind; a reference without version means any. */
  of<T extends KubeObject>({ group, kind, version }: Ref<T>): readonly Informer<T>[] {
    const same = [...this.#informers.values()].filter(
      ({ ref }) =>
        ref.kind === kind && ref.group === group && (version ?? ref.version) === (ref.version ?? version),
    );
    return same.map(({ informer }) => typed(informer));
  }

  all(): readonly Informer[] {
    return [...this.#informers.values()].map(({ informer }) => informer);
  }

  statuses(): readonly Omit<KindHealth, 'condition'>[] {
    return [...this.#informers.values()].map(({ informer, settings: { isOnDemand = false } }) => ({
      ...informer.status(),
      isOnDemand,
    }));
  }

  /** Resolves when every informer has its first list; before the start, when the informers that exist then have it. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#signal === undefined)
      await new Promise<void>((resolve) => {
        this.#onStart.push(resolve);
        if (signal?.aborted === true) resolve();
        else onAbort(signal, resolve);
      });
    await Promise.all(this.all().map((informer) => informer.waitForSync(signal)));
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#signal !== undefined) throw new RuntimeError('InvalidState', 'the cache was started before');
    this.#signal = signal;
    for (const informer of this.all()) this.#launch(informer, signal);
    for (const resolve of this.#onStart) resolve();
    await aborted(signal);
    await Promise.all(this.#running);
  }

  #launch(informer: Informer, signal: AbortSignal): void {
    const run: Promise<void> = informer.start(signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}

function createInformer(
  name: string,
  ref: Ref,
  { client, clock, random, log }: CacheOptions,
  settings: CachedKind,
): Informer {
  const { transform, isOptional } = settings;
  const served = clientListWatch(client, ref, settings);
  const source = isOptional === true ? whereServed(served, clock) : served;
  return new Informer({
    name,
    source,
    clock,
    random,
    log,
    selects: selects(settings),
    ...defined({ transform }),
  });
}

/** The informer stored under a reference's key holds objects of its type; the Map's type cannot express that. */
function typed<T extends KubeObject>(informer: Informer): Informer<T> {
  return informer as unknown as Informer<T>;
}

/** `apps/v1 Deployment`: complete references and kind references of the same kind share an informer. */
function refName(ref: Ref): string {
  checkRef(ref);
  const { group, version = '', kind } = ref;
  const part = partIn(ref);
  return `${group === '' ? '' : `${group}/`}${version} ${kind}${part === undefined ? '' : ` (${part.name})`}`;
}
