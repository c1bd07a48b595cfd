import { type Clock, sleep } from '@kubewright/client';
import type { Random } from '@kubewright/kube';
import { type Broker, type Brokers, OperatorError } from '@kubewright/operators';

/** Of so many calls one request is lost, and one response. */
const LOST = 0.03;
const MOST_MS = 20;

/** One way of a call over a network: it takes time, and may be lost. */
export async function travelOver(clock: Clock, random: Random): Promise<void> {
  await sleep(clock, random() * MOST_MS);
  if (random() < LOST) throw new OperatorError('Unavailable', 'connection reset by peer');
}

/** A broker over a network: calls take time, get lost, and get no response after a crash. */
export function flakyBrokers(connect: () => Broker, clock: Clock, random: Random): Brokers {
  const travel = (): Promise<void> => travelOver(clock, random);
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    await travel();
    const answer = await call();
    await travel();
    return answer;
  };
  const flaky = (broker: Broker): Broker => ({
    queue: (name) => through(() => broker.queue(name)),
    exchangeExists: (name) => through(() => broker.exchangeExists(name)),
    declareQueue: (name, options) => through(() => broker.declareQueue(name, options)),
    deleteQueue: (name) => through(() => broker.deleteQueue(name)),
    bind: (binding) => through(() => broker.bind(binding)),
    unbind: (binding) => through(() => broker.unbind(binding)),
    send: (queue, message) => through(() => broker.send(queue, message)),
    peek: (queue) => through(() => broker.peek(queue)),
  });
  return { at: () => flaky(connect()), close: async () => undefined };
}
