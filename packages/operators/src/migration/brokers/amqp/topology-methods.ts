import type { Json } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { BrokerCore } from '../in-process/broker-core.ts';
import type { QueueArguments } from '../in-process/in-process-queue.ts';
import type { MethodName } from './method.ts';

export type Values = Readonly<Record<string, Json>>;
export type Answer = readonly [name: MethodName, values?: Values];
export type Handler = (values: Values) => Answer | undefined;

export function textOf(values: Values, name: string): string {
  const text = values[name];
  return typeof text === 'string' ? text : '';
}

/** The methods for exchanges, queues and bindings. */
export function topologyMethods(core: BrokerCore, connection: object): Readonly<Record<string, Handler>> {
  const bound = (values: Values): { readonly queue: string; readonly routingKey: string } => ({
    queue: textOf(values, 'queue'),
    routingKey: textOf(values, 'routingKey'),
  });
  return {
    'exchange.declare': (values) => {
      const name = textOf(values, 'exchange');
      const isThere = core.exchangeType(name) !== undefined;
      if (values['passive'] !== true) core.declareExchange(name, textOf(values, 'type'));
      else if (!isThere) throw new OperatorError('NotFound', `no exchange '${name}'`);
      return ['exchange.declare-ok'];
    },
    'exchange.delete': (values) => {
      core.deleteExchange(textOf(values, 'exchange'));
      return ['exchange.delete-ok'];
    },
    'queue.declare': (values) => {
      const { name, ready, consumers } = declare(core, values, connection);
      return ['queue.declare-ok', { queue: name, messages: ready, consumers }];
    },
    'queue.bind': (values) => {
      core.bind(textOf(values, 'exchange'), bound(values));
      return ['queue.bind-ok'];
    },
    'queue.unbind': (values) => {
      core.unbind(textOf(values, 'exchange'), bound(values));
      return ['queue.unbind-ok'];
    },
    'queue.purge': (values) => ['queue.purge-ok', { messages: core.queue(textOf(values, 'queue')).purge() }],
    'queue.delete': (values) => ['queue.delete-ok', { messages: core.deleteQueue(textOf(values, 'queue')) }],
  };
}

function declare(core: BrokerCore, values: Values, connection: object): ReturnType<BrokerCore['queue']> {
  const name = textOf(values, 'queue');
  if (values['passive'] === true) return core.queue(name);
  if (name === '') throw new OperatorError('Failed', 'queues without a name are not implemented');
  return core.declareQueue(name, values['arguments'] as QueueArguments, {
    ...(values['exclusive'] === true ? { owner: connection } : {}),
    autoDelete: values['autoDelete'] === true,
  });
}
