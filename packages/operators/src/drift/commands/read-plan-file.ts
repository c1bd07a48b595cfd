import { createReadStream } from 'node:fs';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { type Plan } from '../plan/plan.ts';
import { readPlan } from '../plan/read-plan.ts';

const MIB = 2 ** 20;
const MOST_MIB = 64;

/** The plan in a file; `-` is standard input. Throws OperatorError `Usage` for what cannot be read, or is no plan. */
export async function readPlanFile(file: string): Promise<Plan> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > MOST_MIB * MIB) break;
    }
  } catch (error) {
    throw new OperatorError('Usage', `cannot read ${file}: ${errorText(error)}`);
  }
  if (size > MOST_MIB * MIB)
    throw new OperatorError(
      'Usage',
      `${file} is larger than ${MOST_MIB} MiB; leave out what is not needed: jq 'del(.prior_state, .planned_values, .configuration)'`,
    );
  return readPlan(Buffer.concat(chunks), file);
}
