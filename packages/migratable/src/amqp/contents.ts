import { MigratableError } from '../migratable-error.ts';
import { checkContent } from './check-content.ts';
import { carriesContent } from './check-method.ts';

/**
 * Messages that are under way, by channel: a method announces one, a header says how many octets follow, frames of the
 * body bring these. Nothing else comes between on that channel. All throw `Malformed`.
 */
export class Contents {
  readonly #mostBytes: number;
  /** The octets that are still to come. */
  readonly #left = new Map<number, number | 'header'>();
  #underWay = 0;

  /** `mostBytes` of messages may be under way at a time. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  method(channel: number, method: number): void {
    if (this.#left.has(channel)) throw new MigratableError('Malformed', 'a method is within a message');
    if (carriesContent(method)) this.#left.set(channel, 'header');
  }

  header(channel: number, payload: Buffer): void {
    if (this.#left.get(channel) !== 'header')
      throw new MigratableError('Malformed', 'a content header belongs to no message');
    const size = checkContent(payload);
    if (size > BigInt(this.#mostBytes - this.#underWay))
      throw new MigratableError('Malformed', `messages under way are larger than ${this.#mostBytes} bytes`);
    this.#underWay += Number(size);
    this.#set(channel, Number(size));
  }

  body(channel: number, length: number): void {
    const left = this.#left.get(channel);
    if (typeof left !== 'number' || length === 0 || length > left)
      throw new MigratableError('Malformed', 'a frame of a body belongs to no message');
    this.#underWay -= length;
    this.#set(channel, left - length);
  }

  #set(channel: number, left: number): void {
    if (left === 0) this.#left.delete(channel);
    else this.#left.set(channel, left);
  }
}
