import { type Captured, readSnapshot } from '@kubewright/migratable';
import { connectAmqp } from '@kubewright/migratable/amqp';
import { connectJetStream } from '@kubewright/migratable/jetstream';
import { systemClock } from '@kubewright/client';
import { sleep } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { STATEFUL_MIGRATIONS } from '../api.ts';
import type { BrokerAddress } from '../brokers/broker.ts';
import { BrokerAddresses } from '../brokers/broker-addresses.ts';
import { isNats } from '../brokers/network-brokers.ts';

/** `kubewright migrate state NAME`: prints the state that a migration has taken, as JSON. It stays at the broker. */
export async function printState(
  { args: [given = ''] }: CommandCall,
  connect: () => Promise<Pick<CommandStage, 'client' | 'namespace' | 'out' | 'signal'>>,
): Promise<void> {
  const name = given.slice(given.lastIndexOf('/') + 1);
  const { client, namespace, out, signal } = await connect();
  const clock = systemClock;
  const migration = await client.get(STATEFUL_MIGRATIONS, { namespace, name });
  const facts = migration.status?.handover?.snapshot;
  if (facts === undefined)
    throw new OperatorError(
      'Failed',
      `${name} has taken no state: "kubewright migrate list" shows how far it is`,
    );
  const messages = messagesAt(await new BrokerAddresses(['*']).of(migration, { client, clock }));
  try {
    const timer = (ms: number, stop: AbortSignal): Promise<void> => sleep(clock, ms, stop);
    if ((await messages.peek(facts.queue)) === undefined)
      throw new OperatorError('NotFound', `queue ${facts.queue}, which had the state, is gone`);
    const { state, watermarks }: Captured = await readSnapshot(messages, facts, { timer, signal });
    out(`${JSON.stringify({ state, watermarks })}\n`);
  } finally {
    await messages.close();
  }
}

function messagesAt(address: BrokerAddress) {
  const { url, credentials } = address;
  return isNats(address) ? connectJetStream({ url, ...credentials }) : connectAmqp({ url, ...credentials });
}
