import type { Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { Cache } from '../cache/cache.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from '../objects/finalizers.ts';
import type { ManagerClient } from '../objects/manager-client.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ReconcileContext, Reconciler, Result } from './reconciler.ts';

/** A reconciler that is given the object itself. No result is the same as `{}`. */
export type ObjectReconciler<T extends KubeObject> = {
  /** Brings an object that is not being deleted towards what it says. */
  reconcile(object: Stored<T>, context: ReconcileContext): Promise<Result | void>;
  /** Put on every object before its first `reconcile`, taken off after `finalize`. `example.com/name`. */
  readonly finalizer?: string;
  /**
   * Undoes outside what `reconcile` did outside; what the object owns is the garbage collector's. Called until it
   * succeeds without asking to be called again: only then the object goes.
   */
  finalize?(object: Stored<T>, context: ReconcileContext): Promise<Result | void>;
};

/**
 * Makes a {@link Reconciler} of one for objects: takes the object from the cache, looks after its finalizer, and tells
 * the living from those that are being deleted. An object that is gone needs nothing more.
 */
export function asReconciler<T extends KubeObject>(
  manager: ManagerClient & { readonly cache: Cache },
  ref: Ref<T>,
  reconciler: ObjectReconciler<T>,
): Reconciler {
  const { finalizer } = reconciler;
  if ((finalizer === undefined) !== (reconciler.finalize === undefined))
    throw new RuntimeError(
      'InvalidState',
      `${ref.kind}: a finalizer needs finalize, and finalize a finalizer`,
    );
  const end = async (object: Stored<T>, context: ReconcileContext): Promise<Result> => {
    if (finalizer === undefined || !hasFinalizer(object, finalizer)) return {};
    const result = (await reconciler.finalize?.(object, context)) ?? {};
    if (result.requeueAfter === undefined && result.requeue !== true)
      await removeFinalizer(manager, ref, object, finalizer);
    return result;
  };
  return {
    async reconcile(request, context) {
      const object = manager.cache.get(ref, request);
      if (object === undefined) return {};
      if (object.metadata.deletionTimestamp !== undefined) return end(object, context);
      const held = finalizer === undefined ? object : await addFinalizer(manager, ref, object, finalizer);
      return (await reconciler.reconcile(held, context)) ?? {};
    },
  };
}
