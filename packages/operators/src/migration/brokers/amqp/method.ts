import type { Json } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

/**
 * The methods of AMQP 0-9-1 that clients of queues use: class, method and arguments, in the specification's order. `B`
 * `H` `I` `Q` are integers of 1, 2, 4 and 8 bytes, `s` and `L` short and long strings, `t` a table, `1` flags that
 * share a byte.
 */
const METHODS = {
  'connection.start': [10, 10, 'B:major B:minor t:properties L:mechanisms L:locales'],
  'connection.start-ok': [10, 11, 't:properties s:mechanism L:response s:locale'],
  'connection.tune': [10, 30, 'H:channelMax I:frameMax H:heartbeat'],
  'connection.tune-ok': [10, 31, 'H:channelMax I:frameMax H:heartbeat'],
  'connection.open': [10, 40, 's:vhost s:- 1:-'],
  'connection.open-ok': [10, 41, 's:-'],
  'connection.close': [10, 50, 'H:code s:text H:class H:method'],
  'connection.close-ok': [10, 51, ''],
  'channel.open': [20, 10, 's:-'],
  'channel.open-ok': [20, 11, 'L:-'],
  'channel.close': [20, 40, 'H:code s:text H:class H:method'],
  'channel.close-ok': [20, 41, ''],
  'exchange.declare': [
    40,
    10,
    'H:- s:exchange s:type 1:passive,durable,autoDelete,internal,noWait t:arguments',
  ],
  'exchange.declare-ok': [40, 11, ''],
  'exchange.delete': [40, 20, 'H:- s:exchange 1:ifUnused,noWait'],
  'exchange.delete-ok': [40, 21, ''],
  'queue.declare': [50, 10, 'H:- s:queue 1:passive,durable,exclusive,autoDelete,noWait t:arguments'],
  'queue.declare-ok': [50, 11, 's:queue I:messages I:consumers'],
  'queue.bind': [50, 20, 'H:- s:queue s:exchange s:routingKey 1:noWait t:arguments'],
  'queue.bind-ok': [50, 21, ''],
  'queue.purge': [50, 30, 'H:- s:queue 1:noWait'],
  'queue.purge-ok': [50, 31, 'I:messages'],
  'queue.delete': [50, 40, 'H:- s:queue 1:ifUnused,ifEmpty,noWait'],
  'queue.delete-ok': [50, 41, 'I:messages'],
  'queue.unbind': [50, 50, 'H:- s:queue s:exchange s:routingKey t:arguments'],
  'queue.unbind-ok': [50, 51, ''],
  'basic.qos': [60, 10, 'I:size H:prefetch 1:global'],
  'basic.qos-ok': [60, 11, ''],
  'basic.consume': [60, 20, 'H:- s:queue s:tag 1:noLocal,noAck,exclusive,noWait t:arguments'],
  'basic.consume-ok': [60, 21, 's:tag'],
  'basic.cancel': [60, 30, 's:tag 1:noWait'],
  'basic.cancel-ok': [60, 31, 's:tag'],
  'basic.publish': [60, 40, 'H:- s:exchange s:routingKey 1:mandatory,immediate'],
  'basic.return': [60, 50, 'H:code s:text s:exchange s:routingKey'],
  'basic.deliver': [60, 60, 's:tag Q:delivery 1:redelivered s:exchange s:routingKey'],
  'basic.get': [60, 70, 'H:- s:queue 1:noAck'],
  'basic.get-ok': [60, 71, 'Q:delivery 1:redelivered s:exchange s:routingKey I:messages'],
  'basic.get-empty': [60, 72, 's:-'],
  'basic.ack': [60, 80, 'Q:delivery 1:multiple'],
  'basic.reject': [60, 90, 'Q:delivery 1:requeue'],
  'basic.nack': [60, 120, 'Q:delivery 1:multiple,requeue'],
  'confirm.select': [85, 10, '1:noWait'],
  'confirm.select-ok': [85, 11, ''],
} as const satisfies Readonly<Record<string, readonly [number, number, string]>>;

export type MethodName = keyof typeof METHODS;
type Values = Readonly<Record<string, Json>>;

/** A method with its arguments. */
export type Method = { readonly name: MethodName; readonly values: Values };

const BY_ID = new Map(
  Object.entries(METHODS).map(([name, [group, method]]) => [group * 65_536 + method, name as MethodName]),
);

/** Throws `Usage` for malformed bytes or an unknown method. */
export function readMethod(payload: Buffer): Method {
  const reader = new Reader(payload);
  const id = reader.uint32();
  const name = BY_ID.get(id);
  if (name === undefined) throw new OperatorError('Usage', `no method ${id >>> 16}.${id & 0xffff}`);
  const values = fieldsOf(name).flatMap(([type, names]) => read(reader, type, names));
  return { name, values: Object.fromEntries(values) };
}

/** Missing arguments are 0, empty or false. */
export function writeMethod(name: MethodName, values: Values = {}): Buffer {
  const [group, method] = METHODS[name];
  const writer = new Writer().uint16(group).uint16(method);
  for (const [type, names] of fieldsOf(name)) write(writer, type, names, values);
  return writer.bytes;
}

/** Class and method ids, as errors report them. */
export const idOf = (name: MethodName): { readonly class: number; readonly method: number } => ({
  class: METHODS[name][0],
  method: METHODS[name][1],
});

function fieldsOf(name: MethodName): readonly (readonly [type: string, names: readonly string[]])[] {
  const fields: string = METHODS[name][2];
  return fields
    .split(' ')
    .filter((field) => field !== '')
    .map((field) => [field.slice(0, 1), field.slice(2).split(',')] as const);
}

function read(reader: Reader, type: string, names: readonly string[]): readonly (readonly [string, Json])[] {
  const [name = ''] = names;
  if (type !== '1') return [[name, READ[type]?.(reader) ?? null]];
  const flags = reader.uint8();
  return names.map((one, index) => [one, (flags & (1 << index)) !== 0]);
}

const READ: Readonly<Record<string, (reader: Reader) => Json>> = {
  B: (reader) => reader.uint8(),
  H: (reader) => reader.uint16(),
  I: (reader) => reader.uint32(),
  Q: (reader) => reader.uint64(),
  s: (reader) => reader.shortText(),
  L: (reader) => reader.longText(),
  t: (reader) => reader.table(),
};

function write(writer: Writer, type: string, names: readonly string[], values: Values): void {
  const [name = ''] = names;
  if (type === '1')
    writer.uint8(names.reduce((flags, one, at) => flags | (values[one] === true ? 1 << at : 0), 0));
  else WRITE[type]?.(writer, values[name]);
}

const WRITE: Readonly<Record<string, (writer: Writer, value: Json | undefined) => void>> = {
  B: (writer, value = 0) => writer.uint8(Number(value)),
  H: (writer, value = 0) => writer.uint16(Number(value)),
  I: (writer, value = 0) => writer.uint32(Number(value)),
  Q: (writer, value = 0) => writer.uint64(Number(value)),
  s: (writer, value) => writer.shortText(typeof value === 'string' ? value : ''),
  L: (writer, value) => writer.longText(typeof value === 'string' ? value : ''),
  t: (writer, value = {}) => writer.table(value as { readonly [name: string]: Json }),
};
