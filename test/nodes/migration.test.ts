import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import {
  ORIGINAL_CONSUMER,
  originalApplicationContract,
} from '../../packages/operators/src/migration/original-application.contract.ts';
import { type Shop, openShop } from './open-shop.ts';
import { processOf } from './process-of.ts';
import { REGISTRY } from './serve-registry.ts';
import { type Agents, startAgents } from './start-agents.ts';
import { type RealNodes, startNodes } from './start-nodes.ts';

describe('on two real nodes, with the agent and RabbitMQ', () => {
  let world: RealNodes;
  let agents: Agents;
  let shop: Shop;

  beforeAll(async () => {
    world = await startNodes(2, (line) => console.log(line));
    agents = await startAgents(world);
    shop = await openShop(world.hub.address);
  });
  afterAll(async () => {
    await shop?.close();
    await world?.stop();
  });

  originalApplicationContract({
    transport: () => world.transport,
    broker: () => shop,
    agents: () => agents,
    archives: async () => world.nodes.flatMap(({ lib }) => archivesIn(lib)).length,
    image: `${REGISTRY}/${ORIGINAL_CONSUMER}`,
    applied: async (transport, key) => (await processOf(transport, key)).applied,
    identity: async (transport, key) => {
      const { bootId, checksum } = await processOf(transport, key);
      return { bootId, checksum };
    },
  });
});

function archivesIn(lib: string): readonly string[] {
  return readdirSync(join(lib, 'kubelet/checkpoints')).filter((name) => name.endsWith('.tar'));
}
