import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { isLong, seeds } from '../support/seeds.ts';
import { CALLS, nodesScenario } from './nodes.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- nodes --seeds N` plays more of them. */
const SEEDS = seeds(2, 25);
/** Where the search begins: a seed that failed when this was written. A change elsewhere may move it on. */
const FOUND_AT = 17;
const SEARCH = 40;

test(`kubelets bring their pods to the same end in ${SEEDS.length} worlds, and then write nothing but heartbeats`, async () => {
  await playWorlds('nodes', nodesScenario(), SEEDS);
});

test('whichever call is refused as a conflict is made again', async () => {
  const scenario = nodesScenario();
  for (let call = 1; call <= CALLS; call += isLong ? 1 : 8) {
    const faults = [{ type: 'errorResponse', component: 'kubelets', call, status: 409 }] as const;
    expect(await runWorld({ seed: 1, scenario, faults }), `call ${call}`).not.toHaveProperty('failure');
  }
});

test('a kubelet that starts again behind a stale cache takes back nothing that it had said', async () => {
  const scenario = nodesScenario();
  for (let call = 42; call <= CALLS; call += 4) {
    const crash = { type: 'crash', component: 'kubelets', call, when: 'before' } as const;
    const faults = [{ ...crash, restartAfter: 4000, behind: 7, stale: 8000 }];
    expect(await runWorld({ seed: 700_074, scenario, faults }), `call ${call}`).not.toHaveProperty('failure');
  }
});

test('containers that die with their kubelet are restarted, and that is seen', async () => {
  const scenario = nodesScenario({ without: 'adoption' });
  for (let seed = FOUND_AT; seed < FOUND_AT + SEARCH; seed++) {
    const { failure } = await runWorld({ seed, scenario });
    if (failure !== undefined) return expect(failure).toContain('Running');
  }
  expect.unreachable(`no seed from ${FOUND_AT} on fails`);
});
