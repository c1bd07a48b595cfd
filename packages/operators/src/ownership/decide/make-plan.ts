import { type MigrationPlan, type PlanInput } from './plan.ts';
import { planAdopt } from './plan-adopt.ts';
import { planMinimal } from './plan-minimal.ts';

/**
 * The plan for one object in the mode of its policy. `observe` plans as `minimal` does; that nothing is written is its
 * caller's business. Adopting comes first, because what is left to move after it may be nothing.
 */
export function makePlan(input: PlanInput): MigrationPlan {
  if (input.policy.mode === 'off') return { kind: 'nothing', obstacles: [] };
  if (input.policy.mode === 'adopt') {
    const plan = planAdopt(input);
    if (plan.kind !== 'nothing') return plan;
  }
  return planMinimal(input);
}
