import { type Clock, sleep } from '@kubewright/client';
import type { Random } from '@kubewright/kube';
import { type Broker, type Brokers, OperatorError } from '@kubewright/operators';

/** Of so many calls one request is lost, and one response. */
const LOST = 0.03;
const MOST_MS = 20;

/** The clocks of a caller, and of the network: what is sent arrives although the caller is frozen, or has crashed. */
type Ends = { readonly caller: Clock; readonly network: () => Clock };

/** A call over a network: it takes time, and its request or response may be lost. */
export function overNetwork(
  { caller, network }: Ends,
  random: Random,
): <T>(call: () => Promise<T>) => Promise<T> {
  const travel = async (clock: Clock): Promise<void> => {
    await sleep(clock, random() * MOST_MS);
    if (random() < LOST) throw new OperatorError('Unavailable', 'connection reset by peer');
  };
  return async (call) => {
    await travel(network());
    const answer = await call();
    await travel(caller);
    return answer;
  };
}

/** A broker over a network: calls take time, get lost, and get no response after a crash. */
export function flakyBrokers(connect: () => Broker, ends: Ends, random: Random): Brokers {
  const through = overNetwork(ends, random);
  const flaky = (broker: Broker): Broker => ({
    reach: () => through(() => broker.reach()),
    queue: (name) => through(() => broker.queue(name)),
    exchangeExists: (name) => through(() => broker.exchangeExists(name)),
    deliveryLimit: (queue) => through(() => broker.deliveryLimit(queue)),
    declareQueue: (name, options) => through(() => broker.declareQueue(name, options)),
    declarePlainQueue: (name, like) => through(() => broker.declarePlainQueue(name, like)),
    deleteQueue: (name) => through(() => broker.deleteQueue(name)),
    bind: (binding) => through(() => broker.bind(binding)),
    unbind: (binding) => through(() => broker.unbind(binding)),
    send: (queue, message) => through(() => broker.send(queue, message)),
    peek: (queue) => through(() => broker.peek(queue)),
  });
  const nothing = async (): Promise<void> => undefined;
  return { at: () => flaky(connect()), release: nothing, close: nothing };
}
