import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { isOver } from '../../shop/migrate.ts';
import { moveWithFault, type Fault, FAULTS, type Way } from '../../shop/move-with-fault.ts';
import type { ShopBroker } from '../../shop/shop-broker.ts';
import { NAMESPACE, openShop, type Shop } from '../../shop/with-shop.ts';
import { isLong, seed } from '../../support/seeds.ts';

// What may happen at every step that is on record, on a real broker: the manager is killed as it records the step, before the
// server has that and after; the broker is killed, and started again with what it had on disk; a pod or its node is lost. It is
// test/simulate/migration-matrix and migration-nodes for what a simulation cannot tell: what brokers and processes really do.

const isBuilt = existsSync(new URL('../../../packages/operators/dist/index.js', import.meta.url));

export type BrokerOfFaults = {
  readonly title: string;
  /** Why it is not tried. */
  readonly why: string | undefined;
  readonly start: () => Promise<ShopBroker>;
};

/** On a busy machine consumers need longer for what is published than the producers, and each case waits for all of it. */
const [CASE_MS, LONG_MS] = [900_000, 1_800_000];

type Step = Pick<Fault, 'step' | 'epoch'>;

const WAYS = [
  ['ShadowPod', 'StatefulSet'],
  ['Sequential', 'StatefulSet'],
  ['Sequential', 'Deployment'],
  ['Sequential', 'Nobody'],
] as const;

/** All of the first; of the second every other one, and of each further one an operator that crashes; all in the long run. */
const isPlayed = (way: number, fault: number): boolean =>
  isLong || way === 0 || (way === 1 ? fault % 2 === 0 : fault === seed % 2);
const CASES = WAYS.flatMap((way, index) =>
  FAULTS.filter((_what, nth) => isPlayed(index, nth)).map((what) => [...way, what] as const),
);

/** Registers what must not lose or double a message, over one broker. */
export function faultsContract({ title, why: broker, start }: BrokerOfFaults): void {
  const why = broker ?? (isBuilt ? undefined : 'needs npm run build');
  const named = `a migration over ${title}${why === undefined ? '' : ` [${why}]`}`;
  describe.skipIf(why !== undefined)(named, () => withFaults(start));
}

function withFaults(start: () => Promise<ShopBroker>): void {
  let shop: Awaited<ReturnType<typeof openShop>>;
  const steps = new Map<string, readonly Step[]>();
  beforeAll(async () => {
    shop = await openShop(2, start);
    for (const [strategy, owner] of WAYS)
      steps.set(`${strategy} ${owner}`, await recordedSteps(shop, { strategy, owner }));
  });
  afterAll(() => shop.close());

  test.each(CASES)(
    'MIG-29 to MIG-46 %s of %s loses and doubles no message: the %s',
    async (strategy, owner, what) => {
      const wrong: string[] = [];
      const all = steps.get(`${strategy} ${owner}`) ?? [];
      const first = seed * 7 + FAULTS.indexOf(what) * 11;
      const chosen = isLong ? all : [all[first % all.length] as Step];
      for (const [index, step] of chosen.entries()) {
        const name = `${strategy}-${owner}-${FAULTS.indexOf(what)}-${index}`.toLowerCase();
        const fault = { ...step, what };
        const played = await moveWithFault(shop, name, { strategy, owner, fault });
        const line = `${strategy} of ${owner}, ${what}, step ${step.step} of handover ${step.epoch}: ${JSON.stringify(played)}`;
        if (isLong) console.info(line);
        if (played.wrong !== undefined) wrong.push(line);
      }
      expect(wrong).toEqual([]);
    },
    isLong ? LONG_MS : CASE_MS,
  );

  test('leaves no queue', async () => {
    const queues = await shop.broker.queues();
    if (isLong) console.info(queues.join(' '));
    expect(queues.filter((name) => /\.mig\.|^ms2m\.(snapshot|hold)\.|-shadow$/.test(name))).toEqual([]);
  });
}

/** Of a migration to which nothing happens. */
async function recordedSteps(shop: Shop, way: Way): Promise<readonly Step[]> {
  const name = `${way.strategy}-${way.owner}-calm`.toLowerCase();
  const playing = moveWithFault(shop, name, way);
  const seen = new Map<string, Step>();
  for await (const event of shop.client.watch(STATEFUL_MIGRATIONS, { namespace: NAMESPACE })) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    const { object } = event;
    if (object.metadata.name !== name) continue;
    const { step, handover } = object.status ?? {};
    if (step !== undefined && handover !== undefined)
      seen.set(`${handover.epoch} ${step}`, { step, epoch: handover.epoch });
    if (isOver(object)) break;
  }
  expect(await playing).toMatchObject({ phase: 'Completed' });
  return [...seen.values()];
}
