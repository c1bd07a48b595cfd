import type { KubeObject } from '@kubewright/kube';
import type { Approval } from '../api.ts';

/** Whether changing annotations raises a kind's generation, so that writing an approval changes what it is for. */
export function countsAnnotations({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Deployment' && apiVersion.startsWith('apps/');
}

/** The generation that a parent will have once its annotations are written. */
export function nextGeneration(parent: KubeObject): number {
  return (parent.metadata.generation ?? 0) + (countsAnnotations(parent) ? 1 : 0);
}

/**
 * Approvals with their generation raised along, where writing them raises the parent's: its spec has not changed. Those
 * that name the spec stay as they are.
 */
export function carriedOver(approvals: readonly Approval[], parent: KubeObject): readonly Approval[] {
  const { generation } = parent.metadata;
  const next = nextGeneration(parent);
  return approvals.map((one) =>
    one.mode !== 'always' &&
    one.specHash === undefined &&
    one.generation === generation &&
    next !== generation
      ? { ...one, generation: next }
      : one,
  );
}
