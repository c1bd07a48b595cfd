import type { Json } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';

/** The deepest accepted nesting of tables. */
const DEEPEST = 16;

/** Decodes AMQP's data types from untrusted bytes. Throws for malformed or truncated ones. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get rest(): Buffer {
    return this.take(this.#bytes.length - this.#at);
  }

  uint8(): number {
    return this.take(1).readUInt8();
  }

  uint16(): number {
    return this.take(2).readUInt16BE();
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  uint64(): number {
    return Number(this.take(8).readBigUInt64BE());
  }

  shortText(): string {
    return this.take(this.uint8()).toString();
  }

  longText(): string {
    return this.take(this.uint32()).toString();
  }

  table(depth = 0): { readonly [name: string]: Json } {
    if (depth > DEEPEST) throw malformed();
    const inner = new Reader(this.take(this.uint32()));
    const entries: [string, Json][] = [];
    while (inner.#isMore()) entries.push([inner.shortText(), inner.#value(depth)]);
    return Object.fromEntries(entries);
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw malformed();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #isMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  #value(depth: number): Json {
    const type = String.fromCharCode(this.uint8());
    const read = Object.hasOwn(VALUES, type) ? VALUES[type] : undefined;
    if (read === undefined) throw malformed();
    return read(this, depth + 1);
  }

  array(depth: number): readonly Json[] {
    if (depth > DEEPEST) throw malformed();
    const inner = new Reader(this.take(this.uint32()));
    const items: Json[] = [];
    while (inner.#isMore()) items.push(inner.#value(depth));
    return items;
  }
}

/** Decodes by the type letter. Byte arrays become base64 text: nothing here reads them. */
const VALUES: Readonly<Record<string, (reader: Reader, depth: number) => Json>> = {
  t: (reader) => reader.uint8() !== 0,
  b: (reader) => reader.take(1).readInt8(),
  B: (reader) => reader.uint8(),
  s: (reader) => reader.take(2).readInt16BE(),
  u: (reader) => reader.uint16(),
  I: (reader) => reader.take(4).readInt32BE(),
  i: (reader) => reader.uint32(),
  l: (reader) => Number(reader.take(8).readBigInt64BE()),
  T: (reader) => reader.uint64(),
  f: (reader) => reader.take(4).readFloatBE(),
  d: (reader) => reader.take(8).readDoubleBE(),
  D: (reader) => reader.take(5).toString('base64'),
  S: (reader) => reader.longText(),
  x: (reader) => reader.take(reader.uint32()).toString('base64'),
  F: (reader, depth) => reader.table(depth),
  A: (reader, depth) => reader.array(depth),
  V: () => null,
};

const malformed = (): OperatorError => new OperatorError('Usage', 'these bytes are not AMQP');
