import { checkRef, type Ref } from '@kubewright/client';
import { type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
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
  /** Which objects of the kind are cached; the same for all who watch it. For different ones see `partOf`. */
  readonly cached?: CachedKind;
};

/** Reconciles the objects of a kind. */
export function watchKind<T extends KubeObject>(ref: Ref<T>, settings: WatchSettings<T> = {}): Source {
  return watchMapped(ref, (object) => [requestFor(object)], settings);
}

export type OwnedSettings<T extends KubeObject = KubeObject> = WatchSettings<T> & {
  /** All owners of the kind, not only the one that controls. */
  readonly anyOwner?: boolean;
};

/**
 * Reconciles the controller owner of each object of a kind, where that owner is an `owner`: of this group and kind, in
 * whatever version. Leads to the owner's name; whether that is the owner of the uid is for the reconciler to say
 * (`isControlledBy`).
 */
export function watchOwned<T extends KubeObject>(
  ref: Ref<T>,
  owner: { readonly group: string; readonly kind: string; readonly namespaced?: boolean },
  { anyOwner = false, ...settings }: OwnedSettings<T> = {},
): Source {
  return watchMapped(
    ref,
    (object) => {
      const { ownerReferences = [], namespace } = object.metadata;
      const owners = ownerReferences.filter(
        ({ controller, kind, apiVersion }) =>
          (anyOwner || controller === true) &&
          kind === owner.kind &&
          parseApiVersion(apiVersion).group === owner.group,
      );
      // An owner lives in the namespace of what it owns, or in none.
      const home = namespace === undefined || owner.namespaced === false ? {} : { namespace };
      return owners.map(({ name }) => ({ ...home, name }));
    },
    settings,
  );
}

/** Reconciles what `map` names for each changed object; after an update, for its old state too. */
export function watchMapped<T extends KubeObject>(
  ref: Ref<T>,
  map: (object: Stored<T>) => readonly Request[],
  settings: WatchSettings<T> = {},
): Source {
  checkRef(ref);
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
function statesOf<T extends KubeObject>(event: CacheEvent<T>): readonly Stored<T>[] {
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
