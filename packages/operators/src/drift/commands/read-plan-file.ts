import { ApiError, readInput } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { type Plan } from '../plan/plan.ts';
import { readPlan } from '../plan/read-plan.ts';

const LESS = "leave out what is not needed: jq 'del(.prior_state, .planned_values, .configuration)'";

/** The plan in a file; `-` is standard input. Throws OperatorError `Usage` for what cannot be read, or is no plan. */
export async function readPlanFile(file: string, signal: AbortSignal): Promise<Plan> {
  try {
    return readPlan(await readInput(file, { signal }), file);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const isTooLarge = error instanceof ApiError && error.reason === 'TooLarge';
    const hint = isTooLarge ? `; ${LESS}` : '';
    throw new OperatorError('Usage', `cannot read ${file}: ${errorText(error)}${hint}`);
  }
}
