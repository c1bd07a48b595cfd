import { afterAll, beforeAll, describe } from 'vitest';
import { originalApplicationContract } from '../../packages/operators/src/migration/original-application.contract.ts';
import { openWorld, settingOf, type World } from './open-world.ts';

describe('on two real nodes, with the agent and RabbitMQ', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world?.close());

  originalApplicationContract(settingOf(() => world));
});
