import type { Ref } from '@kubewright/client';
import { controllerOf, type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { Cache, CachedKind } from '../cache/cache.ts';
import type { CacheEvent } from '../cache/informer.ts';
import type { Predicate } from './predicate.ts';
import { type Request, requestFor } from './reconciler.ts';

/** Below everything that is asked for now: objects that were there at the start. */
export const INITIAL_PRIORITY = -100;

/** What a source may use: the cache to watch, and where requests go. */
export type SourceContext = {
  readonly cache: Cache;
  readonly enqueue: (request: Request, priority?: number) => void;
};

/** Where a controller's requests come from. */
export type Source = {
  /** For logs. */
  readonly name: string;
  /** Begins to enqueue. Returns a function that ends it. */
  start(context: SourceContext): () => void;
  /** Resolves when everything that was there at the start has been enqueued, or when `signal` is aborted. */
  waitForSync(context: SourceContext, signal: AbortSignal): Promise<void>;
};

export type WatchSettings<T extends KubeObject = KubeObject> = {
  /** A change passes when every one of them says so. */
  readonly predicates?: readonly Predicate<T>[];
  /** Which objects are cached; counts for the first watch of the kind only. */
  readonly cached?: CachedKind;
};

/** Reconciles the objects of a kind. */
export function watchKind<T extends KubeObject>(ref: Ref<T>, settings: WatchSettings<T> = {}): Source {
  return watchMapped(ref, (object) => [requestFor(object)], settings);
}

/** Reconciles the controller owner of each object of a kind, where that owner is an `owner`. */
export function watchOwned<T extends KubeObject>(
  ref: Ref<T>,
  owner: { readonly group: string; readonly kind: string; readonly namespaced?: boolean },
  settings: WatchSettings<T> = {},
): Source {
  return watchMapped(
    ref,
    (object) => {
      const reference = controllerOf(object);
      if (reference === undefined || reference.kind !== owner.kind) return [];
      if (parseApiVersion(reference.apiVersion).group !== owner.group) return [];
      const { namespace } = object.metadata;
      // An owner lives in the namespace of what it owns, or in none.
      if (namespace === undefined || owner.namespaced === false) return [{ name: reference.name }];
      return [{ namespace, name: reference.name }];
    },
    settings,
  );
}

/** Reconciles what `map` names for each changed object; after an update, for its old state too. */
export function watchMapped<T extends KubeObject>(
  ref: Ref<T>,
  map: (object: T) => readonly Request[],
  settings: WatchSettings<T> = {},
): Source {
  const { predicates = [], cached } = settings;
  return {
    name: `watch of ${ref.kind}`,
    start({ cache, enqueue }) {
      return cache.informer(ref, cached).addHandler((event) => {
        if (!predicates.every((predicate) => predicate(event))) return;
        const priority = event.type === 'Create' && event.initial ? INITIAL_PRIORITY : 0;
        for (const object of statesOf(event)) for (const request of map(object)) enqueue(request, priority);
      });
    },
    waitForSync({ cache }, signal) {
      return cache.informer(ref, cached).waitForSync(signal);
    },
  };
}

/** An object that left somebody is that one's business too. */
function statesOf<T extends KubeObject>(event: CacheEvent<T>): readonly T[] {
  return event.type === 'Update' ? [event.old, event.object] : [event.object];
}

/** A source that is fed by hand: from a timer, a socket, another part of the program. */
export type ChannelSource = Source & { send(request: Request, priority?: number): void };

/** What is sent before the controller starts is kept and enqueued then. */
export function createChannelSource(name: string): ChannelSource {
  let early: { readonly request: Request; readonly priority: number }[] = [];
  let target: SourceContext['enqueue'] | undefined;
  return {
    name,
    send(request, priority = 0) {
      if (target === undefined) early.push({ request, priority });
      else target(request, priority);
    },
    start({ enqueue }) {
      target = enqueue;
      for (const { request, priority } of early) enqueue(request, priority);
      early = [];
      return () => {
        target = undefined;
      };
    },
    waitForSync: () => Promise.resolve(),
  };
}
