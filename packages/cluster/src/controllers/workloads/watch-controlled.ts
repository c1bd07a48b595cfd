import type { Ref } from '@kubewright/client';
import { controllerOf, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import {
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  selectorFromLabelSelector,
} from '@kubewright/kube/selectors';
import {
  type Cache,
  type CacheEvent,
  type Request,
  requestFor,
  type Source,
  watchMapped,
} from '@kubewright/runtime';

/** Index of objects by the uid of their controller; orphans are found under their namespace. */
const BY_CONTROLLER = 'controller';
const orphansOf = (namespace = ''): string => `orphan/${namespace}`;

export function indexByController(cache: Cache, ...refs: readonly Ref[]): void {
  for (const ref of refs) cache.addIndex(ref, BY_CONTROLLER, controllerOrOrphanage);
}

function controllerOrOrphanage(object: KubeObject): readonly string[] {
  return [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace)];
}

/** The objects of a kind that `controller` owns. The kind must have been indexed. */
export function ownedBy<T extends KubeObject>(cache: Cache, ref: Ref<T>, uid: string): readonly Stored<T>[] {
  return cache.byIndex(ref, BY_CONTROLLER, uid);
}

/** Those that `controller` owns, and the orphans of its namespace, among whom it may find its own. */
export function candidatesFor<T extends KubeObject>(
  cache: Cache,
  ref: Ref<T>,
  { metadata: { uid, namespace } }: Stored,
): readonly Stored<T>[] {
  return [...ownedBy(cache, ref, uid), ...cache.byIndex(ref, BY_CONTROLLER, orphansOf(namespace))];
}

/** A kind whose objects have a selector and control others. */
export type Selecting = KubeObject & { readonly spec: { readonly selector?: LabelSelectorObject } };

/** An empty selector in a workload selects nothing: it would take everybody's. */
export function workloadSelector({ spec }: Selecting): LabelSelector {
  const selector = selectorFromLabelSelector(spec.selector);
  return selector.length === 0 ? 'nothing' : selector;
}

/**
 * Reconciles the controller of each changed object; for an orphan, whoever might adopt it: when it comes, and when its
 * labels or its owner change. The deletion of an orphan reconciles nothing.
 */
export function watchControlled<T extends KubeObject, C extends Selecting>(
  cache: Cache,
  ref: Ref<T>,
  controllers: Ref<C>,
): Source {
  const { group, kind } = controllers;
  const adopters = (object: Stored<T>): readonly Request[] =>
    cache
      .list(controllers, { namespace: object.metadata.namespace })
      .filter((controller) => matchesLabels(workloadSelector(controller), object.metadata.labels))
      .map(requestFor);
  return watchMapped(
    ref,
    (object) => {
      const owner = controllerOf(object);
      if (owner === undefined) return adopters(object);
      if (owner.kind !== kind || parseApiVersion(owner.apiVersion).group !== group) return [];
      return [{ ...requestFor(object), name: owner.name }];
    },
    { predicates: [concernsController] },
  );
}

function concernsController(event: CacheEvent): boolean {
  const owner = controllerOf(event.object);
  if (owner !== undefined || event.type === 'Create') return true;
  if (event.type === 'Delete') return false;
  const labels = (object: KubeObject): string => JSON.stringify(object.metadata.labels ?? {});
  return controllerOf(event.old) !== undefined || labels(event.old) !== labels(event.object);
}

/** Keeps a kind in the cache for the reconciler to read; its events reconcile nothing. */
export function keepCached(ref: Ref): Source {
  return watchMapped(ref, () => []);
}

/** A predicate for watches whose deletions alone matter. */
export function isDelete({ type }: CacheEvent): boolean {
  return type === 'Delete';
}
