import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { isOver } from '../../shop/migrate.ts';
import { moveWithFault, type Fault, FAULTS, type Way } from '../../shop/move-with-fault.ts';
import type { ShopBroker } from '../../shop/shop-broker.ts';
import { wireBroker, type WiredBroker } from '../../shop/wire-broker.ts';
import { NAMESPACE, openShop, type Shop } from '../../shop/with-shop.ts';
import { isLong, seed } from '../../support/seeds.ts';

// What may happen at every step that is on record, on a real broker: the manager is killed as it records the step, before the
// server has that and after; the broker is killed, and started again with what it had on disk; a pod or its node is lost. It is
// test/simulate/migration-matrix and migration-nodes for what a simulation cannot tell: what brokers and processes really do.

const isBuilt = existsSync(new URL('../../../packages/operators/dist/index.js', import.meta.url));

export type BrokerOfFaults = {
  /** Why it is not tried. */
  readonly why: string | undefined;
  readonly start: () => Promise<ShopBroker>;
};

/** Which cases are played, where not all are: the ways by their number, the faults by theirs. */
type Draw = (way: number, fault: number) => boolean;

/** On a busy machine consumers need longer for what is published than the producers, and each case waits for all of it. */
const [CASE_MS, LONG_MS] = [900_000, 1_800_000];

type Step = Pick<Fault, 'step' | 'epoch'>;

const WAYS = [
  ['ShadowPod', 'StatefulSet'],
  ['Sequential', 'StatefulSet'],
  ['Sequential', 'Deployment'],
  ['Sequential', 'Nobody'],
] as const;

/** For each type of queue, the contract of brokers has this one, too (MIG-51). */
const UNNOTICED: string = 'broker does not notice lost connections';

/** All others of the first; of the second every other one, and of each further one an operator that crashes. */
export const MANY: Draw = (way, fault) =>
  FAULTS[fault] !== UNNOTICED && (way === 0 || (way === 1 ? fault % 2 === 0 : fault === seed % 2));

/** One of each way, and a second one of the first; of the `nth` broker others than of the one before. */
export const few =
  (nth: number): Draw =>
  (way, fault) => {
    const chosen = (nth * 2 + way * 3 + seed) % FAULTS.length;
    return fault === chosen || (way === 0 && fault === (chosen + 1) % FAULTS.length);
  };

/** What happens to the broker, or to the way to it, while a pod moves beside its shadow. */
export const OF_BROKER: Draw = (way, fault) => way === 0 && FAULTS[fault]?.startsWith('broker') === true;

/** Registers what must not lose or double a message, over one broker; all cases in the long run. */
export function faultsContract(title: string, { why: broker, start }: BrokerOfFaults, draw: Draw): void {
  const why = broker ?? (isBuilt ? undefined : 'needs npm run build');
  const named = `a migration over ${title}${why === undefined ? '' : ` [${why}]`}`;
  const cases = WAYS.flatMap((way, index) =>
    FAULTS.filter((_what, nth) => isLong || draw(index, nth)).map((what) => [...way, what] as const),
  );
  describe.skipIf(why !== undefined)(named, () => withFaults(title, start, cases));
}

type Case = readonly [...(typeof WAYS)[number], Fault['what']];

function withFaults(title: string, start: () => Promise<ShopBroker>, cases: readonly Case[]): void {
  let shop: Awaited<ReturnType<typeof openShop<WiredBroker>>>;
  const steps = new Map<string, readonly Step[]>();
  const stepsOf = async (way: Way): Promise<readonly Step[]> => {
    const key = `${way.strategy} ${way.owner}`;
    const found = steps.get(key) ?? (await recordedSteps(shop, way));
    steps.set(key, found);
    return found;
  };
  beforeAll(async () => {
    shop = await openShop(2, () => wireBroker(start));
    console.log(`${title}: ${await shop.broker.version()}`);
  }, CASE_MS);
  afterAll(() => shop.close());

  test.each(cases)(
    'MIG-29 to MIG-46 %s of %s loses and doubles no message: the %s',
    async (strategy, owner, what) => {
      const wrong: string[] = [];
      const all = await stepsOf({ strategy, owner });
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

  test(
    'leaves no queue',
    async () => {
      const queues = await shop.broker.queues();
      if (isLong) console.info(queues.join(' '));
      expect(queues.filter((name) => /\.mig\.|^ms2m\.(snapshot|hold)\.|-shadow$/.test(name))).toEqual([]);
    },
    CASE_MS,
  );
}

/** Of a migration to which nothing happens. */
async function recordedSteps(shop: Shop<WiredBroker>, way: Way): Promise<readonly Step[]> {
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
