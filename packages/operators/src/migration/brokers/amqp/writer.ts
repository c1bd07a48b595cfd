import type { Json } from '@kubewright/kube';

/** Encodes AMQP's data types. */
export class Writer {
  readonly #parts: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  uint8(value: number): this {
    return this.#fixed(1, (buffer) => buffer.writeUInt8(value));
  }

  uint16(value: number): this {
    return this.#fixed(2, (buffer) => buffer.writeUInt16BE(value));
  }

  uint32(value: number): this {
    return this.#fixed(4, (buffer) => buffer.writeUInt32BE(value));
  }

  uint64(value: number): this {
    return this.#fixed(8, (buffer) => buffer.writeBigUInt64BE(BigInt(value)));
  }

  /** At most 255 bytes. */
  shortText(text: string): this {
    const bytes = Buffer.from(text).subarray(0, 255);
    return this.uint8(bytes.length).raw(bytes);
  }

  longText(text: string): this {
    const bytes = Buffer.from(text);
    return this.uint32(bytes.length).raw(bytes);
  }

  table(table: { readonly [name: string]: Json }): this {
    const inner = new Writer();
    for (const [name, value] of Object.entries(table)) inner.shortText(name).#value(value);
    return this.uint32(inner.bytes.length).raw(inner.bytes);
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes));
    return this;
  }

  #value(value: Json): this {
    if (typeof value === 'boolean') return this.#typed('t').uint8(Number(value));
    if (typeof value === 'string') return this.#typed('S').longText(value);
    if (typeof value === 'number' || typeof value === 'bigint') return this.#number(Number(value));
    if (value === null) return this.#typed('V');
    if (!isArray(value)) return this.#typed('F').table(value);
    const inner = new Writer();
    for (const item of value) inner.#value(item);
    return this.#typed('A').uint32(inner.bytes.length).raw(inner.bytes);
  }

  #number(value: number): this {
    if (Number.isSafeInteger(value))
      return this.#typed('l').#fixed(8, (buffer) => buffer.writeBigInt64BE(BigInt(value)));
    return this.#typed('d').#fixed(8, (buffer) => buffer.writeDoubleBE(value));
  }

  #typed(letter: string): this {
    return this.uint8(letter.charCodeAt(0));
  }

  #fixed(size: number, write: (buffer: Buffer) => void): this {
    const buffer = Buffer.alloc(size);
    write(buffer);
    return this.raw(buffer);
  }
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
