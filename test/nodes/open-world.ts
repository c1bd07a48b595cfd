import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  ORIGINAL_CONSUMER,
  type OriginalSetting,
} from '../../packages/operators/src/migration/original-application.contract.ts';
import { type Shop, openShop } from './open-shop.ts';
import { processOf } from './process-of.ts';
import { REGISTRY } from './serve-registry.ts';
import { type Agents, startAgents } from './start-agents.ts';
import { type RealNodes, startNodes } from './start-nodes.ts';

/** Two real nodes with their agents, and RabbitMQ. */
export type World = {
  readonly nodes: RealNodes;
  readonly agents: Agents;
  readonly shop: Shop;
  close(): Promise<void>;
};

export async function openWorld(): Promise<World> {
  const nodes = await startNodes(2, (line) => console.log(line));
  const agents = await startAgents(nodes);
  const shop = await openShop(nodes.hub.address);
  const close = async (): Promise<void> => {
    await shop.close();
    await nodes.stop();
  };
  return { nodes, agents, shop, close };
}

/** What suites of applications of the original system need of it. */
export function settingOf(world: () => World): OriginalSetting {
  return {
    transport: () => world().nodes.transport,
    broker: () => world().shop,
    agents: () => world().agents,
    archives: async () => world().nodes.nodes.flatMap(({ lib }) => archivesIn(lib)).length,
    image: `${REGISTRY}/${ORIGINAL_CONSUMER}`,
    applied: async (transport, key) => (await processOf(transport, key)).applied,
    identity: async (transport, key) => {
      const { bootId, checksum } = await processOf(transport, key);
      return { bootId, checksum };
    },
  };
}

function archivesIn(lib: string): readonly string[] {
  return readdirSync(join(lib, 'kubelet/checkpoints')).filter((name) => name.endsWith('.tar'));
}
