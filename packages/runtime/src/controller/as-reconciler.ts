import type { Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { Cache } from '../cache/cache.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from '../objects/finalizers.ts';
import type { ManagerClient } from '../objects/manager-client.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ReconcileContext, Reconciler, Result } from './reconciler.ts';

/** A webhook has undone the removal of a finalizer: nothing is stored then, so no event reports that. */
export const FINALIZER_RESTORED: Result = { requeue: true, problem: 'a webhook restores the finalizer' };

/** A reconciler that gets the object itself. No result is the same as `{}`. */
export type ObjectReconciler<T extends KubeObject> = {
  /** Reconciles an object that is not being deleted. */
  reconcile(object: Stored<T>, context: ReconcileContext): Promise<Result | void>;
  /** The finalizer that is added before the first `reconcile` and removed after `finalize`: `example.com/name`. */
  readonly finalizer?: string;
  /**
   * Cleans up what `reconcile` created outside the cluster; owned objects are left to the garbage collector. Called until
   * it succeeds without a requeue and the finalizer is removed: once more if a webhook restores that.
   */
  finalize?(object: Stored<T>, context: ReconcileContext): Promise<Result | void>;
};

/**
 * A {@link Reconciler} of an {@link ObjectReconciler}: reads the object from the cache, manages its finalizer, and calls
 * `finalize` for one that is being deleted. Does nothing for an object that is gone.
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
    if (result.requeueAfter !== undefined || result.requeue === true) return result;
    const left = await removeFinalizer(manager, ref, object, finalizer);
    return left !== undefined && hasFinalizer(left, finalizer) ? FINALIZER_RESTORED : result;
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
