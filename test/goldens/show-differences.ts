import type { CommandResult } from '../support/kubectl-session.ts';

function linesThatDiffer(label: string, expected: string, actual: string): string[] {
  if (expected === actual) return [];
  const [left, right] = [expected.split('\n'), actual.split('\n')];
  const missing = left.filter((line) => !right.includes(line)).map((line) => `  ${label} - ${line}`);
  const added = right.filter((line) => !left.includes(line)).map((line) => `  ${label} + ${line}`);
  const lines = [...missing, ...added];
  return lines.length > 0 ? lines : [`  ${label}: the same lines in another order`];
}

/** For each command whose output differs: the command, and the lines that only one of the two has. */
export function showDifferences(
  expected: readonly CommandResult[],
  actual: readonly CommandResult[],
): string[] {
  return expected.flatMap((wanted, index) => {
    const got = actual[index];
    if (JSON.stringify(wanted) === JSON.stringify(got)) return [];
    const lines = [
      ...(wanted.rc === got?.rc ? [] : [`  exit code ${wanted.rc}, not ${got?.rc}`]),
      ...linesThatDiffer('out', wanted.out, got?.out ?? ''),
      ...linesThatDiffer('err', wanted.err, got?.err ?? ''),
    ];
    return [`${index + 1}: kubectl ${wanted.cmd}\n${lines.join('\n')}`];
  });
}
