import type { Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { ANNOTATIONS } from '../api.ts';
import { carriedOver } from '../annotations/counts-annotations.ts';
import { approvalsOf, formatApprovals } from '../annotations/find-approval.ts';
import { findNamed, readNamed } from './find-parent.ts';
import { type AnnotationChanges, writeAnnotations } from './write-annotations.ts';

/** Writes annotations of an owner, KIND/NAME. Its approvals stay valid where that raises its generation. */
export async function annotateOwner(
  target: string,
  stage: CommandStage,
  annotations: AnnotationChanges,
): Promise<Stored> {
  const named = await findNamed(target, stage);
  const owner = { ref: named.ref, object: await readNamed(named, stage) };
  return writeAnnotations(stage, owner, (live) => ({ ...approvalsKept(live), ...annotations }));
}

/** Approvals that stay valid where a write of annotations raises the generation. */
export function approvalsKept(live: Stored): AnnotationChanges {
  const approvals = approvalsOf(live);
  if (approvals.length === 0) return {};
  return { [ANNOTATIONS.approvals]: formatApprovals(carriedOver(approvals, live)) };
}
