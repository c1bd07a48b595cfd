import { checkRef, type Ref } from '@kubewright/client';
import { type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import type { Cache, CachedKind } from '../cache/cache.ts';
import type { CacheEvent } from '../cache/informer.ts';
import type { Predicate } from './predicate.ts';
import { type Request, requestFor } from './reconciler.ts';

/** The priority of objects of the first list: below that of changes. */
export const INITIAL_PRIORITY = -100;

/** What a source uses: the cache to watch, and the queue. */
export type SourceContext = {
  readonly cache: Cache;
  /** `afterMs`: later, with what else is enqueued for it until then. */
  readonly enqueue: (request: Request, priority?: number, afterMs?: number) => void;
};

/** Where a controller's requests come from. */
export type Source = {
  /** For logs. */
  readonly name: string;
  /** Starts to enqueue. Returns a function that stops it. */
  start(context: SourceContext): () => void;
  /** Resolves when all objects of the first list have been enqueued, or when `signal` is aborted. */
  waitForSync(context: SourceContext, signal: AbortSignal): Promise<void>;
};

export type WatchSettings<T extends KubeObject = KubeObject> = {
  /** A change has to pass all of them. */
  readonly predicates?: readonly Predicate<T>[];
  /** Which objects of the kind are cached: the same for all its watchers. For another selection see `partOf`. */
  readonly cached?: CachedKind;
  /**
   * Milliseconds until a change is reconciled, together with those that follow meanwhile: as one rollout makes many. Objects of
   * the first list do not wait. Default 0.
   */
  readonly batchMs?: number;
};

/** Reconciles the objects of a kind. */
export function watchKind<T extends KubeObject>(ref: Ref<T>, settings: WatchSettings<T> = {}): Source {
  return watchMapped(ref, (object) => [requestFor(object)], settings);
}

export type OwnedSettings<T extends KubeObject = KubeObject> = WatchSettings<T> & {
  /** All owners of the kind, not only the controller. */
  readonly anyOwner?: boolean;
};

/**
 * Reconciles the controller owner of each object of a kind, where its group and kind are those of `owner`, in any version.
 * Enqueues the owner's name; the reconciler has to check the uid (`isControlledBy`).
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
      // An owner is in the namespace of its dependents, or cluster-scoped.
      const home = namespace === undefined || owner.namespaced === false ? {} : { namespace };
      return owners.map(({ name }) => ({ ...home, name }));
    },
    settings,
  );
}

/** Reconciles the requests that `map` returns for each changed object; after an update, for its old state too. */
export function watchMapped<T extends KubeObject>(
  ref: Ref<T>,
  map: (object: Stored<T>) => readonly Request[],
  settings: WatchSettings<T> = {},
): Source {
  checkRef(ref);
  const { predicates = [], cached, batchMs = 0 } = settings;
  return {
    name: `watch of ${ref.kind}`,
    start({ cache, enqueue }) {
      return cache.informer(ref, cached).addHandler((event) => {
        if (!predicates.every((predicate) => predicate(event))) return;
        const isInitial = event.type === 'Create' && event.initial;
        const [priority, afterMs] = isInitial ? [INITIAL_PRIORITY, 0] : [0, batchMs];
        for (const object of statesOf(event))
          for (const request of map(object)) enqueue(request, priority, afterMs);
      });
    },
    waitForSync({ cache }, signal) {
      return cache.informer(ref, cached).waitForSync(signal);
    },
  };
}

/** A former owner is reconciled too. */
function statesOf<T extends KubeObject>(event: CacheEvent<T>): readonly Stored<T>[] {
  return event.type === 'Update' ? [event.old, event.object] : [event.object];
}

/** A source for requests of the program: from a timer, a socket, another component. */
export type ChannelSource = Source & { send(request: Request, priority?: number): void };

/** Requests sent before the controller starts are enqueued when it does. */
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
