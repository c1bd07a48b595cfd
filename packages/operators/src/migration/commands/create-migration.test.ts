import { expect, test } from 'vitest';
import type { CommandCall } from '../../kit/operator.ts';
import { checkOptions } from './create-migration.ts';

const call = (options: Readonly<Record<string, string>>): CommandCall => ({
  args: ['pod/consumer-0'],
  options,
});
const ALL = { to: 'node-2', queue: 'orders-0', exchange: 'orders', broker: 'amqp://rabbitmq' };
const { broker: _broker, ...NO_BROKER } = ALL;
const { to: _to, ...NO_NODE } = ALL;

test('options that are complete', () => {
  expect(() => checkOptions(call(ALL))).not.toThrow();
  expect(() => checkOptions(call({ ...NO_BROKER, brokerSecret: 'ms2m-broker' }))).not.toThrow();
});

test('an option that is missing: what to add, and where its value is found', () => {
  expect(() => checkOptions(call(NO_NODE))).toThrow(
    'add --to NODE (--to: the node that the pod is to run on: kubectl get nodes lists them)',
  );
});

test('all that is missing at once', () => {
  expect(() => checkOptions(call({}))).toThrow(
    'add --to NODE --queue QUEUE --exchange EXCHANGE --broker amqp://HOST (',
  );
});

test('two brokers', () => {
  expect(() => checkOptions(call({ ...ALL, brokerSecret: 'ms2m-broker' }))).toThrow(
    'it takes one of --broker and --broker-secret',
  );
});
