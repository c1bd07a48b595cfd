import { MigratableError } from '../migratable-error.ts';

/** Octets of the types whose size is fixed, by the letters of {@link ArgumentWalk.over}. */
const FIXED: Readonly<Record<string, number>> = { B: 1, H: 2, I: 4, Q: 8 };
/** Octets of the values in tables whose size is fixed, by AMQP's letters. */
const VALUES: Readonly<Record<string, number>> = {
  t: 1,
  b: 1,
  B: 1,
  s: 2,
  u: 2,
  I: 4,
  i: 4,
  l: 8,
  T: 8,
  f: 4,
  d: 8,
  D: 5,
  V: 0,
};
/** The deepest accepted nesting of tables and arrays. */
const DEEPEST = 64;

/** Walks over encoded arguments without decoding them. Throws `Malformed` where one ends beyond the bytes. */
export class ArgumentWalk {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  uint16(): number {
    return this.#take(2).readUInt16BE();
  }

  uint64(): bigint {
    return this.#take(8).readBigUInt64BE();
  }

  /** `B` `H` `I` `Q` are 1, 2, 4 and 8 octets, `s` and `L` short and long strings, `t` a table. */
  over(types: string): void {
    for (const type of types) {
      const size = FIXED[type];
      if (size !== undefined) this.#take(size);
      else if (type === 's') this.#take(this.#take(1).readUInt8());
      else if (type === 'L') this.#long();
      else this.#entries(this.#long(), 1);
    }
  }

  #entries(bytes: Buffer, depth: number): void {
    const inner = this.#into(bytes, depth);
    while (!inner.isAtEnd) {
      inner.over('s');
      inner.#value(depth);
    }
  }

  #items(bytes: Buffer, depth: number): void {
    const inner = this.#into(bytes, depth);
    while (!inner.isAtEnd) inner.#value(depth);
  }

  #into(bytes: Buffer, depth: number): ArgumentWalk {
    if (depth > DEEPEST) throw new MigratableError('Malformed', `tables are nested deeper than ${DEEPEST}`);
    return new ArgumentWalk(bytes);
  }

  #value(depth: number): void {
    const type = String.fromCharCode(this.#take(1).readUInt8());
    if (Object.hasOwn(VALUES, type)) this.#take(VALUES[type] ?? 0);
    else if (type === 'S' || type === 'x') this.#long();
    else if (type === 'F') this.#entries(this.#long(), depth + 1);
    else if (type === 'A') this.#items(this.#long(), depth + 1);
    else throw new MigratableError('Malformed', 'a table has a value of an unknown type');
  }

  #long(): Buffer {
    return this.#take(this.#take(4).readUInt32BE());
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MigratableError('Malformed', 'an argument ends beyond its frame');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
