import type { Manager } from '@kubewright/runtime';
import type { Broker, Brokers } from './brokers/broker.ts';
import type { NodeAgents } from './checkpoints/node-agents.ts';

type Leader = Pick<Manager, 'requireLease'>;

// The API server rejects what an operator writes on old facts. Brokers and agents do not know of that: an operator that was frozen, and
// goes on when another one leads, must not call them.

/** Brokers that get writes only from the leader. */
export function fencedBrokers(brokers: Brokers, leader: Leader): Brokers {
  return {
    at: (address) => fencedBroker(brokers.at(address), leader),
    release: (address) => brokers.release(address),
    close: () => brokers.close(),
  };
}

function fencedBroker(broker: Broker, leader: Leader): Broker {
  const lead = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    leader.requireLease(what);
    return call();
  };
  return {
    reach: () => broker.reach(),
    queue: (name) => broker.queue(name),
    exchangeExists: (name) => broker.exchangeExists(name),
    deliveryLimit: (queue) => broker.deliveryLimit(queue),
    peek: (queue) => broker.peek(queue),
    declareQueue: (name, options) =>
      lead(`the declaration of queue ${name}`, () => broker.declareQueue(name, options)),
    declarePlainQueue: (name, like) =>
      lead(`the declaration of queue ${name}`, () => broker.declarePlainQueue(name, like)),
    deleteQueue: (name) => lead(`the deletion of queue ${name}`, () => broker.deleteQueue(name)),
    bind: (binding) => lead(`the binding of queue ${binding.queue}`, () => broker.bind(binding)),
    unbind: (binding) =>
      lead(`the removal of the binding of queue ${binding.queue}`, () => broker.unbind(binding)),
    send: (queue, message) => lead(`the message for queue ${queue}`, () => broker.send(queue, message)),
  };
}

/** Agents that get orders only from the leader. */
export function fencedAgents(agents: NodeAgents, leader: Leader): NodeAgents {
  const lead = async (what: string, call: () => Promise<void>): Promise<void> => {
    leader.requireLease(what);
    return call();
  };
  return {
    facts: (node, image) => agents.facts(node, image),
    get: (ref) => agents.get(ref),
    begin: (order) => lead(`the order for checkpoint ${order.id}`, () => agents.begin(order)),
    remove: (ref) => lead(`the deletion of checkpoint ${ref.id}`, () => agents.remove(ref)),
  };
}
