import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { areBuilt } from '../support/built-packages.ts';
import { isLong } from '../support/seeds.ts';
import { digest } from './digest.ts';
import { findScenario, SCENARIOS } from './scenarios.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const SEED = 1;
/** `npm run test:long` plays all of them. */
const NAMES = isLong ? Object.keys(SCENARIOS) : ['nodes'];

test.each(NAMES)('worlds of %s are the same again, byte for byte', async (name) => {
  const scenario = findScenario(name);
  assert(scenario !== undefined, `no scenario ${name}`);
  const first = digest(await runWorld({ seed: SEED, scenario }));
  expect(digest(await runWorld({ seed: SEED, scenario }))).toBe(first);
});

test.runIf(isLong)('and in another process too [needs npm run test:long]', async () => {
  const scenario = findScenario('copy');
  assert(scenario !== undefined, 'no scenario');
  const hash = createHash('sha256').update(digest(await runWorld({ seed: SEED, scenario })));
  const packages = areBuilt ? [] : ['--conditions=@kubewright/source'];
  const args = [...packages, '--import', 'tsx', 'test/simulate/main.ts', 'copy', '--seed'];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, String(SEED)], { cwd: ROOT });
  expect(stdout).toContain(`digest of all traces: ${hash.digest('hex').slice(0, 16)}`);
});
