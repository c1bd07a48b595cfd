import type { Ref } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { CachedKind } from './cache.ts';

type Part = { readonly name: string; readonly settings: CachedKind };

/** A reference to a part of a kind's objects. For calls it is the same as the kind's own reference. */
export type PartRef<T extends KubeObject = KubeObject> = Ref<T> & { readonly part: Part };

/**
 * A part of a kind with an informer of its own, beside the kind's. Use the same reference for watches and for reads. The
 * name appears in logs, health and errors.
 *
 * @example
 * const ours = partOf(corev1.configmaps, 'ours', { namespace: 'kube-system', labelSelector: 'app=ours' });
 * manager.addController({ sources: [watchKind(ours)], … manager.cache.get(ours, request) … });
 */
export function partOf<T extends KubeObject>(ref: Ref<T>, name: string, settings: CachedKind): PartRef<T> {
  return { ...ref, part: { name, settings } };
}

/** The part that a reference selects; undefined for the whole kind. */
export function partIn(ref: Ref): Part | undefined {
  return (ref as Partial<PartRef>).part;
}

export function sameSettings(a: CachedKind, b: CachedKind): boolean {
  const names = [
    'namespace',
    'labelSelector',
    'fieldSelector',
    'pageSize',
    'transform',
    'isOptional',
    'isOnDemand',
  ] as const;
  return names.every((name) => a[name] === b[name]);
}
