import { setFlagsFromString } from 'node:v8';
import { configureGlobal } from 'fast-check';
import { afterAll, afterEach, expect } from 'vitest';
import { cpuTime } from './cpu-time.ts';
import { isLong, runs, seed } from './seeds.ts';

declare module 'vitest' {
  // An interface, because vitest's is extended here.
  interface TaskMeta {
    /** Processor time that a file took, for `npm test -- --profile`. */
    cpuMs?: number;
  }
}

// Most tests run their code a few times: that V8 11, which is in Node 20, optimizes it later saves a tenth of the processor time.
if (!isLong && process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=400000');

// A property that fails prints the seed: KUBEWRIGHT_SEED=… plays it again.
configureGlobal({ seed, numRuns: runs(100) });

// What Node.js warns of is a fault of ours, or will be one with a later version. The test that it comes in fails.
const warnings: string[] = [];
function noteWarning({ name, message }: Error): void {
  warnings.push(`${name}: ${message}`);
}
// A worker runs many files, and of one whose tests are all skipped no hook runs: its listener would stay.
for (const listener of process.listeners('warning'))
  if (listener.name === noteWarning.name) process.off('warning', listener);
process.on('warning', noteWarning);
afterEach(async () => {
  // Warnings are emitted a tick late.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(warnings.splice(0)).toEqual([]);
});

if (process.env['KUBEWRIGHT_PROFILE'] !== undefined) {
  const before = cpuTime();
  // vitest insists on the pattern.
  // oxlint-disable-next-line no-empty-pattern
  afterAll(({}, { file }) => {
    file.meta.cpuMs = cpuTime() - before;
  });
}
