import assert from 'node:assert/strict';
import { runWorld, type WorldFault } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { findScenario } from './scenarios.ts';

type Hostile = Extract<WorldFault, { readonly type: 'hostile' }>;

const hostile = (effect: Hostile['effect'], at: number, writes: number): Hostile => ({
  type: 'hostile',
  effect,
  at,
  ms: 24_000,
  writes,
  delayMs: 3000,
});

/** Each of them once kept a controller at rest for ever: what it had written was undone, and no event came of that. */
test.each<[string, number, Hostile]>([
  ['copy', 800_029, hostile('undo', 7299, 3)],
  ['gc', 800_029, hostile('undo', 7299, 3)],
  ['jobs', 800_132, { ...hostile('undo', 21_509, 8), ms: 8692 }],
  ['nodes', 800_026, hostile('undo', 1262, 6)],
  ['ownership', 800_139, { ...hostile('undo', 149, 7), ms: 21_500 }],
  ['ownership', 830_536, { ...hostile('undo', 171, 8), ms: 18_258 }],
  ['storage', 800_018, hostile('change', 4698, 4)],
  ['storage', 800_021, hostile('strip', 4053, 8)],
])('%s, seed %i, ends as it should when somebody’s webhook has stopped', async (name, seed, fault) => {
  const scenario = findScenario(name);
  assert(scenario !== undefined, `there is no scenario ${name}`);
  expect(await runWorld({ seed, scenario, faults: [fault] })).not.toHaveProperty('failure');
});
