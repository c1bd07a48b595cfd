import { setTimeout as delay } from 'node:timers/promises';
import { appsv1, type corev1, type Stored } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import { checkApplied } from '../../packages/operators/src/migration/testing/check-applied.ts';
import { isReady } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { LAST_LOOK_MS, LOSSES } from '../support/migration-losses.ts';
import type { Applied } from './overheard-runtime.ts';
import { type Application, podsOf } from './start-application.ts';
import { NAMESPACE, type Shop } from './with-shop.ts';

type Ended = {
  readonly live: Stored<StatefulMigration>;
  /** When a pod or its node was lost: Unix milliseconds. */
  readonly lostAt: number | undefined;
};
type Verdict = { readonly published: number; readonly wrong?: string };

const LOOK_MS = 100;
/** How long it may stay as it is. Each message that is applied is heard in the loop that looks here: a busy machine takes its time. */
const WITHIN_MS = 120_000;

/**
 * One pod runs, as nobody's migration, and has applied each message once. Where its state was lost, as the migration reports,
 * each message went with a process that is gone, or is applied. Stops the producers.
 */
export async function verdictOf(shop: Shop, app: Application, ended: Ended): Promise<Verdict> {
  const counts = await app.producers.stop();
  const published = [...counts.values()].reduce((sum, one) => sum + one, 0);
  const isLost = isStateLost(ended);
  let [before, deadline]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    const wrong = await wrongIn(shop, app, { counts, isLost });
    if (wrong === undefined) return { published };
    if (wrong !== before) [before, deadline] = [wrong, Date.now() + WITHIN_MS];
    if (Date.now() > deadline) return { published, wrong };
    await delay(LOOK_MS);
  }
}

type Expected = { readonly counts: ReadonlyMap<string, number>; readonly isLost: boolean };

async function wrongIn(shop: Shop, app: Application, expected: Expected): Promise<string | undefined> {
  const pods = await podsOf(shop, app.name);
  const pod = pods.find((one) => isReady(one) && one.metadata.deletionTimestamp === undefined);
  // Nobody makes another one in the place of one that somebody has deleted with its state.
  if (pod === undefined && !(expected.isLost && app.owner === 'Nobody'))
    return `no pod is ready: ${pods.map((one) => seenOf(one)).join(' ')}`;
  const applied = pod === undefined ? [] : shop.workers.appliedBy(pod.metadata.uid);
  const { double, disordered } = checkApplied(applied, new Map());
  if (double.length > 0) return `applied twice: ${named(double)}`;
  if (disordered.length > 0) return `applied in another order: ${named(disordered)}`;
  const all = shop.workers.processesOf(app.name).flatMap((one) => one.applied);
  const missing = missingOf(expected.isLost ? all : applied, expected.counts, app.producers.unconfirmed);
  // Without a pod the rest is in the queue.
  return missing.length > 0 && pod !== undefined ? `missing: ${named(missing)}` : leftOf(shop, app, pod);
}

/** The migration says so, or its pod was an ordinary one when it was lost. */
function isStateLost({ live: { status }, lostAt }: Ended): boolean {
  const { phase, outcome, completionTime = '' } = status ?? {};
  if (phase === 'Completed')
    return lostAt !== undefined && lostAt > Date.parse(completionTime) - LAST_LOOK_MS;
  return LOSSES.has(outcome?.reason ?? '');
}

/** What tells why a pod is not ready. */
function seenOf({ metadata: { name, labels, finalizers }, spec: { nodeName }, status }: Stored<corev1.Pod>) {
  return JSON.stringify({ name, labels, finalizers, nodeName, status });
}

function missingOf(
  applied: readonly Applied[],
  counts: ReadonlyMap<string, number>,
  unconfirmed: ReadonlySet<string>,
) {
  const { missing } = checkApplied(applied, counts);
  return missing.filter(({ producer, seq }) => !unconfirmed.has(`${producer} ${seq}`));
}

async function leftOf(
  shop: Shop,
  { name }: Application,
  pod: Stored<corev1.Pod> | undefined,
): Promise<string | undefined> {
  const items = await podsOf(shop, name);
  if (items.length !== (pod === undefined ? 0 : 1))
    return `pods: ${items.map(({ metadata }) => metadata.name).join(' ')}`;
  return (pod && markOf(pod)) ?? templateLeft(shop);
}

function markOf({ metadata: { labels = {}, finalizers = [] } }: Stored<corev1.Pod>): string | undefined {
  const role = labels['migration.ms2m.io/role'] ?? 'restored';
  if (role !== 'restored') return `the pod is marked as ${role}`;
  return finalizers.length > 0 ? `the pod has ${finalizers.join(' ')}` : undefined;
}

/** Of a pod that nobody controls. */
async function templateLeft({ client }: Shop): Promise<string | undefined> {
  const ofMigrations = { namespace: NAMESPACE, labelSelector: 'migration.ms2m.io/migration' };
  const { items } = await client.list(appsv1.controllerrevisions, ofMigrations);
  return items.map(({ metadata }) => `ControllerRevision ${metadata.name} is left`)[0];
}

function named(messages: readonly Pick<Applied, 'producer' | 'seq'>[]): string {
  const first = messages.slice(0, 5).map(({ producer, seq }) => `${producer} ${seq}`);
  return `${messages.length} (${first.join(', ')})`;
}
