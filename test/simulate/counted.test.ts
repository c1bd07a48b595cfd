import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { countedScenario } from './counted.ts';

test('what was written is counted, though watches lag, break off and start anew, and answers are lost', async () => {
  for (let seed = 1; seed <= 20; seed++)
    expect(await runWorld({ seed, scenario: countedScenario() })).not.toHaveProperty('failure');
});

test('one that only believes its watch is caught', async () => {
  const scenario = countedScenario((_own, bare) => bare);
  const failures: (string | undefined)[] = [];
  for (let seed = 1; seed <= 10; seed++) failures.push((await runWorld({ seed, scenario })).failure);
  expect(failures).toContain('never more than it wants: it made 4');
});
