import { setTimeout as delay } from 'node:timers/promises';
import { ignoreNotFound } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '@kubewright/operators';
import { isLong } from '../support/seeds.ts';
import { createMigration, isOver, migrationOver, type Strategy } from './migrate.ts';
import { type Application, type Owner, startApplication } from './start-application.ts';
import { verdictOf } from './verdict-of.ts';
import type { WiredBroker } from './wire-broker.ts';
import { NAMESPACE, type Shop } from './with-shop.ts';

type WiredShop = Shop<WiredBroker>;

export const FAULTS = [
  'operator crashes before',
  'operator crashes after',
  'broker is killed',
  'source is deleted',
  'target is deleted',
  "source's node is rebooted",
  "target's node is rebooted",
  'broker does not notice lost connections',
] as const;

/** What happens as a step of a handover is on record; the operator crashes before that, too. */
export type Fault = {
  readonly what: (typeof FAULTS)[number];
  readonly step: string;
  readonly epoch: number;
};

/** Who has made the pod, and how it is moved. */
export type Way = { readonly strategy: Strategy; readonly owner: Owner };
type Move = Way & { readonly fault?: Fault };

/** How it ended. Without `wrong` it was as it should be. */
export type Played = {
  /** Whether the migration has come to that step: some are on record only if there is something to wait for. */
  readonly happened: boolean;
  readonly phase: string;
  readonly reason?: string | undefined;
  readonly published: number;
  readonly wrong?: string | undefined;
};

/** How long the broker takes lost connections for open ones. */
const UNNOTICED_MS = isLong ? 60_000 : 5000;
const RATE = { perSecond: 40, producers: 1 };
const WARM = 20;
const FORCE = { gracePeriodSeconds: 0 };

/** A pod moves under load, and something happens meanwhile, or nothing. */
export async function moveWithFault(shop: WiredShop, name: string, move: Move): Promise<Played> {
  const app = await startApplication(shop, name, 'sdk', RATE, move.owner);
  try {
    while ((shop.workers.processesOf(name)[0]?.applied.length ?? 0) < WARM) await delay(50);
    return await moved(shop, app, move);
  } finally {
    await shop.manager.crashAt(undefined);
    await shop.client.delete(STATEFUL_MIGRATIONS, { namespace: NAMESPACE, name });
    await app.remove();
  }
}

async function moved(shop: WiredShop, app: Application, { strategy, fault }: Move): Promise<Played> {
  const { crashes } = shop.manager;
  if (fault !== undefined) await prepared(shop, fault);
  await createMigration(shop, app, strategy);
  const injectedAt = fault && (await injected(shop, app, fault));
  const live = await migrationOver(shop, app);
  const lostAt = fault?.what.startsWith('broker') ? undefined : injectedAt;
  const verdict = await verdictOf(shop, app, { live, lostAt });
  const { phase = '', outcome } = live.status ?? {};
  const happened = injectedAt !== undefined || shop.manager.crashes > crashes;
  return { happened, phase, reason: outcome?.reason, ...verdict };
}

/** The operator ends itself; all else is done to it. */
async function prepared({ manager }: Shop, { what, step, epoch }: Fault): Promise<void> {
  if (what === 'operator crashes before') await manager.crashAt({ when: 'before', step, epoch });
  if (what === 'operator crashes after') await manager.crashAt({ when: 'after', step, epoch });
}

/** When it happened to somebody else than the operator: Unix milliseconds. */
async function injected(shop: WiredShop, app: Application, fault: Fault): Promise<number | undefined> {
  if (fault.what.startsWith('operator')) return undefined;
  const isAt = ({ status }: StatefulMigration): boolean =>
    status?.step === fault.step && status.handover?.epoch === fault.epoch;
  const live = await migrationOver(shop, app, isAt);
  if (isOver(live)) return undefined;
  await inject(shop, live, fault);
  return Date.now();
}

async function inject(
  { broker, cluster, client }: WiredShop,
  live: Stored<StatefulMigration>,
  { what }: Fault,
): Promise<void> {
  if (what === 'broker is killed') return broker.restart();
  if (what === 'broker does not notice lost connections') return delay(UNNOTICED_MS).then(broker.halve());
  const side = what.startsWith('source') ? 'from' : 'to';
  const { targetNode } = live.spec;
  const sourceNode = targetNode === 'node-1' ? 'node-2' : 'node-1';
  if (what.endsWith('rebooted')) return cluster.nodes.reboot(side === 'from' ? sourceNode : targetNode);
  const key = { namespace: NAMESPACE, name: live.status?.handover?.[side].pod ?? '' };
  await ignoreNotFound(client.delete(corev1.pods, key, FORCE));
}
