import { Session } from 'node:inspector';

type Coverage = {
  readonly result: readonly {
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
};

/**
 * How many functions and blocks of JavaScript a piece of synchronous work ran. The same on each machine, so a test can
 * compare the work for one input with that for another; what one built-in function does inside is not counted.
 */
export function countSteps(work: () => unknown): number {
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    // Counts begin anew with each taking.
    take(session);
    work();
    return take(session);
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function take(session: Session): number {
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (_error, coverage: Coverage) => {
    for (const { functions } of coverage.result)
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
  });
  return steps;
}
