import { setTimeout as delay } from 'node:timers/promises';
import { ignoreNotFound } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import { checkApplied } from '../../packages/operators/src/migration/testing/check-applied.ts';
import { isReady } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { LAST_LOOK_MS, LOSSES } from '../support/migration-losses.ts';
import type { Applied } from './overheard-runtime.ts';
import type { Application } from './start-application.ts';
import { NAMESPACE, type Shop } from './with-shop.ts';

type Ended = {
  readonly live: Stored<StatefulMigration>;
  /** When a pod or its node was lost: Unix milliseconds. */
  readonly lostAt: number | undefined;
};
type Verdict = { readonly published: number; readonly wrong?: string };

const LOOK_MS = 100;
const WITHIN_MS = 120_000;

/**
 * One pod runs, as nobody's migration, and has applied each message once. Where its state was lost, as the migration reports,
 * each message went with a process that is gone, or is applied. Stops the producers.
 */
export async function verdictOf(shop: Shop, app: Application, ended: Ended): Promise<Verdict> {
  const counts = await app.producers.stop();
  const published = [...counts.values()].reduce((sum, one) => sum + one, 0);
  const isLost = isStateLost(ended);
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const wrong = await wrongIn(shop, app, { counts, isLost });
    if (wrong === undefined) return { published };
    if (Date.now() > deadline) return { published, wrong };
    await delay(LOOK_MS);
  }
}

type Expected = { readonly counts: ReadonlyMap<string, number>; readonly isLost: boolean };

async function wrongIn(shop: Shop, app: Application, expected: Expected): Promise<string | undefined> {
  const pod = await readyPod(shop, app);
  if (pod === undefined) return 'no pod is ready';
  const applied = shop.workers.appliedBy(pod.metadata.uid);
  const { double, disordered } = checkApplied(applied, new Map());
  if (double.length > 0) return `applied twice: ${named(double)}`;
  if (disordered.length > 0) return `applied in another order: ${named(disordered)}`;
  const all = shop.workers.processesOf(app.name).flatMap((one) => one.applied);
  const missing = missingOf(expected.isLost ? all : applied, expected.counts, app.producers.unconfirmed);
  return missing.length > 0 ? `missing: ${named(missing)}` : leftOf(shop, app);
}

/** The migration says so, or its pod was an ordinary one when it was lost. */
function isStateLost({ live: { status }, lostAt }: Ended): boolean {
  const { phase, outcome, completionTime = '' } = status ?? {};
  if (phase === 'Completed')
    return lostAt !== undefined && lostAt > Date.parse(completionTime) - LAST_LOOK_MS;
  return LOSSES.has(outcome?.reason ?? '');
}

async function readyPod(
  { client }: Shop,
  { pod: name }: Application,
): Promise<Stored<corev1.Pod> | undefined> {
  const pod = await ignoreNotFound(client.get(corev1.pods, { namespace: NAMESPACE, name }));
  return isReady(pod) && pod?.metadata.deletionTimestamp === undefined ? pod : undefined;
}

function missingOf(
  applied: readonly Applied[],
  counts: ReadonlyMap<string, number>,
  unconfirmed: ReadonlySet<string>,
) {
  const { missing } = checkApplied(applied, counts);
  return missing.filter(({ producer, seq }) => !unconfirmed.has(`${producer} ${seq}`));
}

async function leftOf({ client }: Shop, { name }: Application): Promise<string | undefined> {
  const { items } = await client.list(corev1.pods, { namespace: NAMESPACE, labelSelector: `app=${name}` });
  if (items.length !== 1) return `pods: ${items.map(({ metadata }) => metadata.name).join(' ')}`;
  const { labels = {}, finalizers = [] } = items[0]?.metadata ?? {};
  const role = labels['migration.ms2m.io/role'] ?? 'restored';
  if (role !== 'restored') return `the pod is marked as ${role}`;
  return finalizers.length > 0 ? `the pod has ${finalizers.join(' ')}` : undefined;
}

function named(messages: readonly Pick<Applied, 'producer' | 'seq'>[]): string {
  const first = messages.slice(0, 5).map(({ producer, seq }) => `${producer} ${seq}`);
  return `${messages.length} (${first.join(', ')})`;
}
