import { defined } from '@kubewright/kube';
import {
  commandMessage,
  controlQueue,
  holdQueue,
  type Report,
  reportOf,
  statusQueue,
} from '@kubewright/migratable';
import { type Io, requestFor } from '@kubewright/runtime';
import { OperatorError } from '../operator-error.ts';
import type { Tools } from './act.ts';
import type { MigrationStatus, StatefulMigration } from './api.ts';
import type { BrokerOutages } from './broker-outages.ts';
import type { Broker, QueueFacts } from './brokers/broker.ts';
import type { LivePod, ObservedBroker } from './decide/observed-migration.ts';
import { isSequential } from './strategy.ts';
import { isOfProcess, observedQueues } from './process-queues.ts';

/** What the broker says now. */
export async function observeBroker(
  migration: StatefulMigration,
  named: LivePod | undefined,
  io: Io,
  tools: Tools,
): Promise<ObservedBroker> {
  const { queueName, brokerUrl, brokerSecret = '' } = migration.spec.messageQueueConfig;
  if (brokerUrl + brokerSecret === '' || queueName === '')
    return { type: 'rejected', message: 'no broker is named' };
  const denial = tools.outages.denial(migration.metadata, io.clock.monotonic());
  return denial === undefined
    ? reachBroker(migration, named, io, tools)
    : { type: 'unavailable', message: denial };
}

async function reachBroker(
  migration: StatefulMigration,
  named: LivePod | undefined,
  io: Io,
  { peers, addresses, outages, requests }: Tools,
): Promise<ObservedBroker> {
  const user = requestFor(migration);
  try {
    const address = await addresses.of(migration, io).catch((error: unknown) => {
      peers.leave(user);
      throw error;
    });
    const isDue = (uid: string): boolean => requests.isDue(user, uid, io.clock.monotonic());
    const seen = await peers
      .use(user, address, (broker) => look(broker, migration, named, isDue))
      .catch((error: unknown) => {
        throw isPassing(error, migration, io, outages) ? unavailable(error) : error;
      });
    outages.end(migration.metadata);
    return seen;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const { message, retryable, code } = error;
    // Whoever may take back what is allowed, here or at the broker, may allow it again, while a pod is being moved.
    if (retryable || (code === 'Forbidden' && migration.status?.handover !== undefined)) {
      const forMs = outages.lasting(migration.metadata, io.clock.monotonic());
      return { type: 'unavailable', message, forMs, ...(isDenial(error) && { isDenied: true }) };
    }
    outages.end(migration.metadata);
    return { type: 'rejected', message };
  }
}

function isDenial(error: unknown): boolean {
  return error instanceof OperatorError && (error.code === 'Forbidden' || isDenial(error.cause));
}

/** Rights that a migration lacks as it begins may be back in a moment. */
function isPassing(
  error: unknown,
  { metadata }: StatefulMigration,
  { clock }: Io,
  outages: BrokerOutages,
): error is OperatorError {
  const isDenied = error instanceof OperatorError && error.code === 'Forbidden';
  return isDenied && !outages.isMeant(metadata, clock.monotonic());
}

function unavailable(cause: OperatorError): OperatorError {
  return new OperatorError('Unavailable', cause.message, { cause });
}

async function look(
  broker: Broker,
  migration: StatefulMigration,
  named: LivePod | undefined,
  isDue: (uid: string) => boolean,
): Promise<ObservedBroker> {
  const { queueName, exchangeName } = migration.spec.messageQueueConfig;
  const isToBegin = migration.status?.handover === undefined;
  const [primary, exchange, limit, reports, queues] = await Promise.all([
    broker.queue(queueName),
    broker.exchangeExists(exchangeName),
    isToBegin ? broker.deliveryLimit(queueName) : undefined,
    reportsOf(broker, membersOf(migration, named), isDue),
    queuesOf(broker, observedQueues(migration)),
    keepHold(broker, migration),
  ]);
  return { type: 'reached', exchange, reports, queues, ...defined({ primary, limit }) };
}

/** Of a source that has ended: a queue at which nobody looks expires. */
async function keepHold(broker: Broker, { spec, status }: StatefulMigration): Promise<void> {
  const uid = status?.handover?.from.uid;
  if (status === undefined || uid === undefined || !isKept(status)) return;
  await broker.peek(statusQueue(uid));
  await broker.peek(holdQueue(spec.messageQueueConfig.queueName));
}

/** Whoever had the state is not heard any more: somebody else goes on with it, or the broker has it. */
function isGiven(status: MigrationStatus): boolean {
  return status.handover?.committed === true || isKept(status);
}

function isKept(status: MigrationStatus): boolean {
  return isSequential(status) && status.handedOver && !isOfProcess(status);
}

async function queuesOf(broker: Broker, names: readonly string[]): Promise<ReadonlyMap<string, QueueFacts>> {
  const queues = new Map<string, QueueFacts>();
  for (const name of new Set(names)) {
    const facts = await broker.queue(name);
    if (facts !== undefined) queues.set(name, facts);
  }
  return queues;
}

/** The uids of the pods whose consumers take part. Who has handed over matters while it is the source, which may go on. */
function membersOf({ status }: StatefulMigration, named: LivePod | undefined): readonly string[] {
  if (status !== undefined && isOfProcess(status)) return [];
  const giver = status === undefined || isGiven(status) ? undefined : status.handover?.from.uid;
  const uids = [named?.metadata.uid, giver, status?.handover?.to.uid].filter((uid) => uid !== undefined);
  return [...new Set(uids)];
}

/** The last report of each consumer. Also requests a new one, for a later observation. */
async function reportsOf(
  broker: Broker,
  uids: readonly string[],
  isDue: (uid: string) => boolean,
): Promise<ReadonlyMap<string, Report>> {
  const heard = await Promise.all(
    uids.map(async (uid) => {
      const message = await broker.peek(statusQueue(uid));
      if (isDue(uid)) await broker.send(controlQueue(uid), commandMessage({ type: 'report', tokens: true }));
      const report = message === undefined ? undefined : reportOf(message);
      return report?.pod === uid ? [[uid, report] as const] : [];
    }),
  );
  return new Map(heard.flat());
}
