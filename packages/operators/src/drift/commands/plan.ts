import { systemClock } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { ANNOTATIONS } from '../api.ts';
import { carriedOver } from '../annotations/counts-annotations.ts';
import { formatApprovals } from '../annotations/find-approval.ts';
import { decidePlan, type PlanDecision } from '../decide/decide-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { checkedPlan, describePlan, whyDenied } from './describe-plan.ts';
import { findNamed, type Named, readNamed } from './find-parent.ts';
import { readPlanFile } from './read-plan-file.ts';
import { writeAnnotations } from './write-annotations.ts';

/** `kubewright drift plan KIND/NAME -f FILE`: whether a plan of Terraform may be applied. Rejects if not. */
export async function plan(
  { args: [target = ''], options: { filename, dryRun }, terminal }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  if (filename === undefined) throw new OperatorError('Usage', 'name the plan with -f');
  const read = await readPlanFile(filename, terminal.signal);
  const stage = await connect();
  const named = await findNamed(target, stage);
  const checked = await decideLive(read, named, stage, dryRun !== undefined);
  const now = new Date(systemClock.now());
  const result = checkedPlan(read, checked.decision, { parent: checked.parent, now });
  stage.print({ json: result, text: () => describePlan(result) });
  if (!result.allowed) throw new OperatorError('Denied', whyDenied(result));
}

type Decided = { readonly parent: Stored; readonly decision: PlanDecision };

/** Decides, and stores what it reserves on the parent that it was decided with. */
async function decideLive(
  read: Plan,
  named: Named,
  stage: CommandStage,
  isDryRun: boolean,
): Promise<Decided> {
  const decide = (parent: Stored): PlanDecision => decidePlan(read, parent, new Date(systemClock.now()));
  const parent = await readNamed(named, stage);
  let decided: Decided = { parent, decision: decide(parent) };
  if (isDryRun || decided.decision.reserved === undefined) return decided;
  await writeAnnotations(stage, { ref: named.ref, object: parent }, (live) => {
    // It may have changed since.
    decided = { parent: live, decision: decide(live) };
    const { reserved } = decided.decision;
    return reserved === undefined
      ? {}
      : { [ANNOTATIONS.approvals]: formatApprovals(carriedOver(reserved, live)) };
  });
  return decided;
}
