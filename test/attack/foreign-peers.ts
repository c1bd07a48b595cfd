import { setTimeout as sleep } from 'node:timers/promises';
import { harass } from '../support/hostile-peers.ts';
import { type Attack, inputs } from './attack.ts';

const ROUNDS = 4;
const SEED = 1;
/** Until what they left half-done would have had an effect. */
const EFFECTS_MS = 1000;

/** Peers that cancel, reset, fall silent, send half of something, or speak something else. */
export const foreignPeers: Attack = {
  name: 'foreign-peers',
  about:
    'anybody connects to each port of manager and API server, and cancels, resets, is silent or speaks something else',
  async play({ webhookPort, healthPort, apiUrl }) {
    const targets = [
      { port: webhookPort, isTls: true, path: '/mutate' },
      { port: healthPort, isTls: false, path: '/metrics' },
      { port: Number(new URL(apiUrl).port), isTls: true, path: '/api/v1/namespaces/default/configmaps' },
    ];
    let connections = 0;
    for (const target of targets) connections += await harass(target, inputs(ROUNDS), SEED);
    await sleep(EFFECTS_MS);
    return { inputs: connections };
  },
};
