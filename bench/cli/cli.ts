import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Comparison, ComparisonRow } from '../comparison.ts';

/** An odd number: the one in the middle counts. */
const RUNS = 11;
const MOST_MS = 120;

const CLI = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));
const COMMANDS = [['--help'], ['apiserver', '--help']];

/** How long a command takes that does nothing, from the start of its process to its end. */
export function benchCli(): Promise<Comparison> {
  const rows = COMMANDS.map(
    (command): ComparisonRow => ({
      name: `kubewright ${command.join(' ')}`,
      unit: 'ms',
      ours: medianMs([CLI, ...command]),
      theirs: MOST_MS,
      target: 1,
      better: 'less',
    }),
  );
  const title = `cold start, the middle of ${RUNS} (beside it: what it may); an empty script of Node takes ${medianMs(['-e', '0']).toFixed(0)} ms`;
  return Promise.resolve({ title, sides: ['CLI', 'at most'], rows });
}

function medianMs(args: readonly string[]): number {
  const times = Array.from({ length: RUNS }, () => {
    const began = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args);
    assert(status === 0, `${args.join(' ')} ended with ${status}: ${stderr.toString()}`);
    return performance.now() - began;
  });
  return times.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? Number.NaN;
}
