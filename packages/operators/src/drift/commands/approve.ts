import { systemClock } from '@kubewright/client';
import { defined, formatTime, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { ANNOTATIONS, type Approval, type Rejection } from '../api.ts';
import { approvalsOf, type Child, formatApprovals, rejectionsOf } from '../annotations/find-approval.ts';
import { carriedOver, nextGeneration } from '../annotations/counts-annotations.ts';
import { findParent } from './find-parent.ts';
import { type AnnotationChanges, writeAnnotations } from './write-annotations.ts';

const MODES = ['once', 'generation', 'always'];

type Order = { readonly child: Child; readonly mode: string; readonly reason: string | undefined };

/** `kubewright drift approve KIND/NAME`. */
export async function approve(
  { args: [target = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { mode = 'once', reason } = options;
  if (!MODES.includes(mode)) throw new OperatorError('Usage', `--mode is one of ${MODES.join(', ')}`);
  const stage = await connect();
  const { parent, ref, child } = await findParent(target, options, stage);
  const at = formatTime(new Date(systemClock.now()));
  const changes = (live: Stored): AnnotationChanges => approvalChanges(live, { child, mode, reason }, at);
  const stored = await writeAnnotations(stage, { ref, object: parent }, changes);
  const { kind, metadata } = stored;
  const how = {
    once: 'once',
    generation: `as long as its generation is ${metadata.generation ?? 0}`,
    always: 'always',
  };
  const title = `${child.kind} ${child.name} of ${kind} ${metadata.name}`;
  stage.out(`${title}: drift is approved ${how[mode as keyof typeof how]}\n`);
}

/** `kubewright drift reject KIND/NAME`. */
export async function reject(
  { args: [target = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { reason } = options;
  const stage = await connect();
  const { parent, ref, child } = await findParent(target, options, stage);
  const stored = await writeAnnotations(stage, { ref, object: parent }, (live) =>
    rejectionChanges(live, child, reason),
  );
  stage.out(`${child.kind} ${child.name} of ${stored.kind} ${stored.metadata.name}: drift is rejected\n`);
}

/** Adds an approval; it replaces older approvals and rejections of the same child. */
export function approvalChanges(
  parent: Stored,
  { child, mode, reason }: Order,
  at: string,
): AnnotationChanges {
  const generation = mode === 'always' ? undefined : nextGeneration(parent);
  const approval: Approval = { ...child, mode, at, ...defined({ generation, reason }) };
  const others = carriedOver(approvalsOf(parent), parent).filter((one) => !isFor(one, child));
  return {
    [ANNOTATIONS.approvals]: formatApprovals([...others, approval]),
    ...without(parent, child),
  };
}

function rejectionChanges(parent: Stored, child: Child, reason: string | undefined): AnnotationChanges {
  const others = (rejectionsOf(parent) ?? []).filter((one) => !isFor(one, child));
  const rejection: Rejection = { ...child, ...defined({ reason }) };
  const approvals = carriedOver(approvalsOf(parent), parent).filter((one) => !isFor(one, child));
  return {
    [ANNOTATIONS.rejections]: formatApprovals([...others, rejection]),
    [ANNOTATIONS.approvals]: listOrNull(approvals),
  };
}

function without(parent: Stored, child: Child): AnnotationChanges {
  const rejections = rejectionsOf(parent) ?? [];
  const left = rejections.filter((one) => !isFor(one, child));
  return left.length === rejections.length ? {} : { [ANNOTATIONS.rejections]: listOrNull(left) };
}

const listOrNull = (list: readonly (Approval | Rejection)[]): string | null =>
  list.length === 0 ? null : formatApprovals(list);

/** Exact entries for this child only: a pattern covers others too. */
function isFor(pattern: Child, { apiVersion, kind, name }: Child): boolean {
  return pattern.apiVersion === apiVersion && pattern.kind === kind && pattern.name === name;
}
