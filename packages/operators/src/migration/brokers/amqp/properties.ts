import type { Json } from '@kubewright/kube';
import type { Reader } from './reader.ts';
import { Writer } from './writer.ts';

type Kind = 'text' | 'table' | 'byte' | 'time';

/** Message properties in AMQP's order: the first has the highest bit of the flags. */
const PROPERTIES: readonly (readonly [name: string, kind: Kind])[] = [
  ['contentType', 'text'],
  ['contentEncoding', 'text'],
  ['headers', 'table'],
  ['deliveryMode', 'byte'],
  ['priority', 'byte'],
  ['correlationId', 'text'],
  ['replyTo', 'text'],
  ['expiration', 'text'],
  ['messageId', 'text'],
  ['timestamp', 'time'],
  ['type', 'text'],
  ['userId', 'text'],
  ['appId', 'text'],
  ['clusterId', 'text'],
];
const HIGHEST = 15;

export type Properties = { readonly [name: string]: Json };

export function readProperties(reader: Reader): Properties {
  const flags = reader.uint16();
  const present = PROPERTIES.filter((_one, index) => (flags & (1 << (HIGHEST - index))) !== 0);
  return Object.fromEntries(present.map(([name, kind]) => [name, read(reader, kind)]));
}

export function writeProperties(properties: Properties): Buffer {
  const writer = new Writer();
  let flags = 0;
  for (const [index, [name, kind]] of PROPERTIES.entries()) {
    const value = properties[name];
    if (value === undefined) continue;
    flags |= 1 << (HIGHEST - index);
    write(writer, kind, value);
  }
  return new Writer().uint16(flags).raw(writer.bytes).bytes;
}

function read(reader: Reader, kind: Kind): Json {
  if (kind === 'text') return reader.shortText();
  if (kind === 'table') return reader.table();
  return kind === 'byte' ? reader.uint8() : reader.uint64();
}

function write(writer: Writer, kind: Kind, value: Json): void {
  if (kind === 'text') writer.shortText(typeof value === 'string' ? value : '');
  else if (kind === 'table') writer.table(value as Properties);
  else if (kind === 'byte') writer.uint8(Number(value));
  else writer.uint64(Number(value));
}
