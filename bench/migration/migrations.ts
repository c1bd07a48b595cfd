import type { Comparison } from '../comparison.ts';
import { compareMessages, type Messages } from './compare-messages.ts';
import { migrate } from '../../test/shop/migrate.ts';
import { type Application, ready, startApplication } from '../../test/shop/start-application.ts';
import { type Shop, withShop } from '../../test/shop/with-shop.ts';

const APPLICATIONS = 50;
const RATE = { perSecond: 2, producers: 1 };
/** Pods are threads of this process: so many start at once. */
const AT_ONCE = 5;
const MOST_MEGABYTES = 300;

/** Fifty pods move at once, by one manager: all exact, and how much memory it takes. */
export async function benchMigrations(): Promise<Comparison> {
  return withShop(2, async (shop) => {
    const before = await shop.manager.memory();
    const apps = await startAll(shop);
    const began = performance.now();
    const cuts = await Promise.all(apps.map((app) => migrate(shop, app)));
    const seconds = (performance.now() - began) / 1000;
    const { highestRss } = await shop.manager.memory();
    const results = await Promise.all(apps.map((app) => result(shop, app)));
    await Promise.all(apps.map((app) => app.remove()));
    const sum = (field: 'published' | 'applied' | 'missing' | 'double'): number =>
      results.reduce((total, one) => total + one[field], 0);
    const differ = results.filter(({ digestsEqual }, index) => !digestsEqual || cuts[index] !== true).length;
    const none = { theirs: 1, target: 0, better: 'less' } as const;
    return {
      title: `${APPLICATIONS} migrations at once on one manager, ${RATE.perSecond} msg/s each, over RabbitMQ (beside it: what it may)`,
      sides: ['kubewright', 'at most'],
      rows: [
        { name: 'all completed', unit: 's', ours: seconds, theirs: 600, target: 1, better: 'less' },
        {
          name: 'applied of those published',
          unit: 'messages',
          ours: sum('applied'),
          theirs: sum('published'),
          target: 1,
          better: 'less',
        },
        { name: 'missing', unit: 'messages', ours: sum('missing'), ...none },
        { name: 'applied twice', unit: 'messages', ours: sum('double'), ...none },
        { name: 'digests differ', unit: 'pods', ours: differ, ...none },
        {
          name: 'the manager before',
          unit: 'MB',
          ours: before.rss,
          theirs: MOST_MEGABYTES,
          target: 1,
          better: 'less',
        },
        {
          name: 'its highest memory',
          unit: 'MB',
          ours: highestRss,
          theirs: MOST_MEGABYTES,
          target: 1,
          better: 'less',
        },
      ],
    };
  });
}

async function startAll(shop: Shop): Promise<readonly Application[]> {
  const apps: Application[] = [];
  let next = 1;
  const startSome = async (): Promise<void> => {
    for (let index = next++; index <= APPLICATIONS; index = next++)
      apps.push(await startApplication(shop, `app-${index}`, 'sdk', RATE));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, startSome));
  return apps;
}

async function result(shop: Shop, app: Application): Promise<Messages> {
  const { metadata } = await ready(shop, app.pod);
  return compareMessages(shop.workers, metadata.uid, await app.producers.stop());
}
