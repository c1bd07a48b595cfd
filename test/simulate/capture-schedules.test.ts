import { test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { schedulesScenario } from './capture-schedules.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- capture-schedules --seeds N` plays more of them. */
const SEEDS = seeds(1, 3);

test(`CAP-196 captures by the clock are made once in ${SEEDS.length} worlds, and nothing is left behind`, async () => {
  await playWorlds('capture-schedules', schedulesScenario(), SEEDS);
});
