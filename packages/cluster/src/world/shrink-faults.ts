import type { WorldFault } from './world-fault.ts';
import { type RunOptions, type RunResult, runWorld } from './run-world.ts';

/** The fewest faults with which a failing run still fails: each is left out in turn, as long as that changes nothing. */
export async function shrinkFaults(options: RunOptions, failed: RunResult): Promise<RunResult> {
  let smallest = failed;
  let index = 0;
  while (index < smallest.faults.length) {
    const faults: readonly WorldFault[] = smallest.faults.filter((_, i) => i !== index);
    const result = await runWorld({ ...options, faults });
    if (result.failure === undefined) index++;
    else smallest = result;
  }
  return smallest;
}
