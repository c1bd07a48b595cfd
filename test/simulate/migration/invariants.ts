import type { Client } from '@kubewright/client';
import type { History } from '@kubewright/cluster';
import { corev1, controllerOf } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import type { MigrationWorld } from './world.ts';

const OURS = 'migration.ms2m.io/migration';
const ROLE = 'migration.ms2m.io/role';

/** What a migration that is over has left behind. */
export async function leftOf(
  client: Client,
  { broker, consumers, late }: MigrationWorld,
): Promise<string | undefined> {
  const { items } = await client.list(corev1.pods, { namespace: 'default' });
  const names = items.map(({ metadata }) => metadata.name).toSorted();
  if (names.join(' ') !== 'consumer-0 consumer-1') return `pods are ${names.join(' ')}`;
  const locked = items.find(({ metadata: { labels = {} } }) => (labels[ROLE] ?? 'restored') !== 'restored');
  if (locked !== undefined)
    return `pod ${locked.metadata.name} is marked as ${locked.metadata.labels?.[ROLE]}`;
  const foreign = items.find((pod) => controllerOf(pod)?.kind !== 'StatefulSet');
  if (foreign !== undefined) return `pod ${foreign.metadata.name} belongs to ${controllerOf(foreign)?.kind}`;
  const queues = [...broker.queues.values()].filter(({ name }) =>
    /\.mig\.|^ms2m\.(snapshot|hold)\./.test(name),
  );
  const lasting = queues.filter(({ name, args }) => !late.has(name) || args['x-expires'] === undefined);
  return lasting.length > 0
    ? `queues are left: ${lasting.map(({ name }) => name).join(' ')}`
    : shadows(consumers);
}

function shadows(consumers: MigrationWorld['consumers']): string | undefined {
  return consumers.statesOf('consumer-0-shadow').length > 0 ? 'the shadow still runs' : undefined;
}

/** The set is as it was made, and of its pods only the one that is migrated was ever touched. */
export function siblingsTouched(history: History): string | undefined {
  const generations = history.of('statefulsets', 'consumer').map(({ object }) => object.metadata.generation);
  if (generations.some((generation) => generation !== 1)) return 'the StatefulSet was edited';
  const uids = new Set(history.of('pods', 'consumer-1').map(({ object }) => object.metadata.uid));
  if (uids.size > 1) return 'consumer-1 was made anew';
  const marked = history
    .of('pods', 'consumer-1')
    .some(({ object }) => object.metadata.labels?.[OURS] !== undefined);
  return marked ? 'consumer-1 was marked' : undefined;
}

/** Once the state is handed over the migration never ends without it; a final phase is final. */
export function wentBack(history: History): string | undefined {
  const statuses = history
    .of('statefulmigrations', 'move')
    .map(({ object }) => (object as StatefulMigration).status ?? NOTHING);
  const wrong = statuses.slice(1).map((status, index) => stepBack(statuses[index] ?? NOTHING, status));
  return wrong.find((one) => one !== undefined);
}

type Status = NonNullable<StatefulMigration['status']>;
const NOTHING: Status = { handedOver: false };
const FINAL: ReadonlySet<string> = new Set(['Completed', 'Failed', 'Rejected', 'Aborted']);

function stepBack(before: Status, { handedOver, phase }: Status): string | undefined {
  if (before.handedOver && !handedOver) return 'a handover was forgotten';
  if (before.handedOver && phase === 'Aborted') return 'aborted after the handover';
  const { phase: last } = before;
  return last !== undefined && FINAL.has(last) && phase !== last ? `${last} -> ${phase}` : undefined;
}
