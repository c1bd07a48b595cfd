import { createClient } from '@kubewright/client';
import { CONTROLLER_NAMES } from '@kubewright/cluster';
import { corev1, type Json, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { fewUnlessReal } from '../../servers/real-side.ts';
import { startReadiness } from '../workloads/readiness.ts';
import { type Entries, goldenOf, RECORDS, recordGolden } from './golden.ts';
import { type HostileWebhooks, startHostileWebhooks } from './hostile-webhooks.ts';
import type { Hostility } from './hostility.ts';
import { OTHERS } from './other-scenarios.ts';
import { Place, type Scenario } from './scenario.ts';
import { VOLUMES } from './volume-scenarios.ts';
import { WORKLOADS } from './workload-scenarios.ts';

const SCENARIOS = [...WORKLOADS, ...OTHERS, ...VOLUMES].map((scenario) => ({
  ...scenario,
  title: `${scenario.account}: ${scenario.target.resource}`,
}));

/** `npm test` plays some scenarios; `npm run test:real` all, on both sides. */
const PLAYED = fewUnlessReal(3, SCENARIOS);

/** A controller writes one after the other for all rows: where the machine is busy, each write takes seconds. */
const PATIENCE = { timeout: 200_000, interval: 100 };

/** Writes that may be more than twice as many: a conflict or an event that comes between is chance, and most write once. */
const CHANCE = 2;

/** Ours look again, and write again, so long after an update that a webhook has undone: no event reports that one. */
const LOOKS_AGAIN_MS = 30_000;

/** A scenario under one hostility. */
type Row = {
  readonly hostility: Hostility;
  readonly place: Place;
  readonly writes: readonly string[];
  /** By performance.now(). */
  readonly begun: number;
};

let played = 0;

function hostileAdmission(transport: () => Transport, side: 'embedded' | 'real'): void {
  let webhooks: HostileWebhooks;
  let readiness: Promise<void>;
  const stop = new AbortController();
  beforeAll(async () => {
    webhooks = await startHostileWebhooks(transport());
    const isReady = ({ metadata }: corev1.Pod): boolean => metadata.labels?.['ready'] === 'yes';
    readiness = startReadiness(createClient(transport()), { isReady, signal: stop.signal });
  });
  afterAll(async () => {
    stop.abort();
    await readiness;
    await webhooks.stop();
  });

  async function begin({ account, target, play }: Scenario, hostility: Hostility): Promise<Row> {
    const place = new Place(createClient(transport()), `hostile-${++played}-h`);
    const { namespace } = place;
    const { writes } = webhooks.meet({ namespace, account, target, hostility });
    await place.create(corev1.namespaces, '', { metadata: { name: namespace }, spec: {} });
    const begun = performance.now();
    await play(place);
    return { hostility, place, writes, begun };
  }

  test.concurrent.for(PLAYED)('$title', { timeout: 500_000 }, async (scenario, { expect }) => {
    const rows = await Promise.all(hostilitiesOf(scenario).map((hostility) => begin(scenario, hostility)));
    const look = (): Promise<Entries> => lookAt(scenario, rows);
    if (RECORDS && side === 'real') return recordGolden(scenario.title, look);
    const golden = goldenOf(scenario.title);
    const ends = async (): Promise<Json> => endsOf(await look());
    const expected = { ...endsOf(golden), ...(side === 'embedded' && scenario.ours) };
    await expect.poll(ends, PATIENCE).toEqual(expected);
    // By the time that another one has come to its end, nothing has happened to these.
    if (scenario.isFence !== true) {
      const fence = await begin(scenario, 'none');
      await expect.poll(() => scenario.see(fence.place), PATIENCE).toEqual(golden.none?.end);
    }
    expect(await ends()).toEqual(expected);
    for (const { hostility, writes, begun } of rows) {
      const looksAgain = Math.floor((performance.now() - begun) / LOOKS_AGAIN_MS);
      expect(writes.length, `${hostility}: ${writes.join(', ')}`).toBeLessThanOrEqual(
        2 * (golden[hostility]?.writes ?? 0) + CHANCE + looksAgain,
      );
    }
  });
}

/** What a target has no path for cannot be done to it. */
function hostilitiesOf({ target, only }: Scenario): readonly Hostility[] {
  if (only !== undefined) return only;
  const stripped = target.strip === undefined ? [] : (['stripped'] as const);
  const changed = target.change === undefined ? [] : (['changed'] as const);
  return ['none', 'undone', ...stripped, ...changed, 'delayed', 'rejected'];
}

async function lookAt({ see }: Scenario, rows: readonly Row[]): Promise<Entries> {
  const entries = rows.map(
    async ({ hostility, place, writes }) =>
      [hostility, { end: await see(place), writes: writes.length }] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function endsOf(entries: Entries): Record<string, Json> {
  return Object.fromEntries(Object.entries(entries).map(([hostility, { end }]) => [hostility, end]));
}

describeClusters(
  'Controllers under hostile admission',
  { controllers: CONTROLLER_NAMES, credentials: true, longer: true },
  (transport, _nodes, _kubeconfig, side) => hostileAdmission(transport, side),
);
