import assert from 'node:assert/strict';
import { runWorld, type WorldFault } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { isLong } from '../support/seeds.ts';
import { ownershipScenario } from './ownership.ts';

const APPLY = /^(\d+) operator #(\d+) PATCH \S*deployments\/web\?fieldManager=eno&force=true 200/;
const TRIED = /^(\d+) operator #\d+ PATCH \S*deployments\/web\?fieldManager=eno&dryRun=All&force=true 200/;
const UNDONE = /hostile-\d+ undo: UPDATE deployments web/;
const CRASHED = /operator #\d+ PATCH \S*deployments\/web\?fieldManager=eno&force=true crash after/;

/** By which the webhook comes later, until it meets the apply and not the status before it. */
const STEP_MS = 5;

/** So many meetings of the two are looked for in so many seeds: in some the status is written at the last moment. */
const [MET, SEARCH] = [isLong ? 3 : 1, 30];

const scenario = ownershipScenario();

/** When the operator applies the manifest in a world without faults, by which call, and when it tried that before. */
async function applied(seed: number): Promise<{ tried: number; at: number; call: number }> {
  const { trace } = await runWorld({ seed, scenario, faults: [] });
  const index = trace.findIndex((line) => APPLY.test(line));
  const [, at, call] = APPLY.exec(trace[index] ?? '') ?? [];
  const tried = trace.slice(0, index).flatMap((line) => TRIED.exec(line)?.[1] ?? []);
  assert(at !== undefined && call !== undefined && tried.length > 0, 'nothing was applied');
  return { tried: Number(tried.at(-1)), at: Number(at), call: Number(call) };
}

/** A webhook that comes between dry run and apply; the operator crashes as soon as the apply is stored. */
const faultsAt = (at: number, call: number): readonly WorldFault[] => [
  { type: 'hostile', effect: 'undo', at, ms: 5000, writes: 1, delayMs: 0 },
  { type: 'crash', component: 'operator', call, when: 'after', restartAfter: 1000, behind: 0 },
];

/** How often a webhook came between in the worlds of a seed. */
async function meetings(seed: number): Promise<number> {
  const { tried, at, call } = await applied(seed);
  for (let from = tried; from < at; from += STEP_MS) {
    const { failure, trace } = await runWorld({ seed, scenario, faults: faultsAt(from, call) });
    expect(failure, `seed ${seed}, webhook at ${from}`).toBeUndefined();
    const crash = trace.findIndex((line) => CRASHED.test(line));
    const undo = trace.findIndex((line) => UNDONE.test(line));
    if (undo >= 0 && undo < crash && !trace.slice(undo, crash).some((line) => TRIED.test(line))) return 1;
  }
  return 0;
}

test('a removal that a webhook undoes is done, also if the operator crashes before it claims it again', async () => {
  let met = 0;
  for (let seed = 1; met < MET; seed++) {
    expect(seed).toBeLessThan(SEARCH);
    met += await meetings(seed);
  }
});
