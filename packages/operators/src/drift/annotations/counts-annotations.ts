import type { KubeObject } from '@kubewright/kube';
import type { Approval } from '../api.ts';
import { modeOf } from './find-approval.ts';

/** Whether changing annotations raises a kind's generation, so that writing an approval changes what it is for. */
export function countsAnnotations({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Deployment' && apiVersion.startsWith('apps/');
}

/** The generation that a parent will have once its annotations are written. */
export function nextGeneration(parent: KubeObject): number {
  return (parent.metadata.generation ?? 0) + (countsAnnotations(parent) ? 1 : 0);
}

/** Approvals with their generation raised along, where writing them raises the parent's: its spec has not changed. */
export function carriedOver(approvals: readonly Approval[], parent: KubeObject): readonly Approval[] {
  const { generation } = parent.metadata;
  const next = nextGeneration(parent);
  return approvals.map((one) =>
    modeOf(one) !== 'always' && one.generation === generation && next !== generation
      ? { ...one, generation: next }
      : one,
  );
}
