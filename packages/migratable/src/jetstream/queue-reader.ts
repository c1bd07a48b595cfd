import type { Message } from '../messages.ts';
import type { Nats } from './nats-link.ts';
import type { Log, Position } from './queue-record.ts';
import { type Read, readSubject, type Stored } from './read-subject.ts';
import { MESSAGES, ownSubject } from './record-subject.ts';

/** A message of a queue, and how far the queue is when this one and all before it were acked. */
export type Item = { readonly message: Message; readonly position: Position };

export type Batch = {
  readonly items: readonly Item[];
  /** There is nothing more now. */
  readonly isIdle: boolean;
};

/** Requests at a time. */
const MOST = 32;
const NO_LOG: Read = { found: [], isWhole: true };

/**
 * Merges the log that a queue reads and what is sent straight to the queue into one order. A message of the latter says after
 * which one of the log it comes (`place`): its sender read the log's last number before it sent the message. So the order is the
 * same for all who read, and whatever was published after a message was sent comes after it.
 */
export class QueueReader {
  readonly #queue: string;
  readonly #log: Log | undefined;
  /** What was returned by {@link next}. */
  #position: Position;
  /** Of own messages up to this number, the log that is read the next time has all that comes before them. */
  #seen = 0;
  #widths: Position = { own: 1, log: 1 };

  constructor(queue: string, log: Log | undefined, position: Position) {
    this.#queue = queue;
    this.#log = log;
    this.#position = position;
  }

  /** At most `limit` of the log and as many of the others; none where the log has to be read anew first. */
  async next(nats: Nats, limit: number = MOST): Promise<Batch> {
    const most = Math.min(limit, MOST);
    // In this order: what was sent before a message of the log was published is there when that one is.
    const log = await this.#readLog(nats, most);
    const own = await this.#readOwn(nats, most);
    const { items, isHeld } = this.#merge(own, log);
    this.#position = items.at(-1)?.position ?? this.#position;
    this.#widths = { own: widthAfter(own), log: widthAfter(log) };
    this.#seen = await this.#settled(nats, own);
    const isNext = isHeld && (own.found[0]?.seq ?? Infinity) <= this.#seen;
    return { items, isIdle: items.length === 0 && !isNext };
  }

  /** As {@link next}, but nothing is held. */
  async head(nats: Nats): Promise<Message | undefined> {
    for (;;) {
      const { items, isIdle } = await this.next(nats, 1);
      if (items.length > 0 || isIdle) return items[0]?.message;
    }
  }

  async #readLog(nats: Nats, most: number): Promise<Read> {
    if (this.#log === undefined) return NO_LOG;
    const limit = Math.min(most, this.#widths.log);
    return readSubject(nats, { ...this.#log, from: this.#position.log + 1, limit });
  }

  async #readOwn(nats: Nats, most: number): Promise<Read> {
    const subject = ownSubject(this.#queue);
    const limit = Math.min(most, this.#widths.own);
    return readSubject(nats, { stream: MESSAGES, subject, from: this.#position.own + 1, limit });
  }

  /** A server that has just become the leader of the log may not have all of it yet. */
  async #settled({ streams }: Nats, { found }: Read): Promise<number> {
    if (this.#log === undefined || found.length === 0) return this.#seen;
    const { state } = await streams.info(this.#log.stream);
    const beyond = found.findIndex(({ place }) => place > state.last_seq);
    const settled = beyond === -1 ? found : found.slice(0, beyond);
    return settled.at(-1)?.seq ?? this.#seen;
  }

  #merge(own: Read, log: Read): { readonly items: readonly Item[]; readonly isHeld: boolean } {
    const items: Item[] = [];
    const logged = [...log.found];
    let [{ own: ofOwn, log: ofLog }, place] = [this.#position, 0];
    const takeLogged = (until: number): void => {
      for (let next = logged[0]; next !== undefined && next.seq <= until; next = logged[0]) {
        logged.shift();
        ofLog = next.seq;
        items.push({ message: next.message, position: { own: ofOwn, log: ofLog } });
      }
    };
    const isPlaced = ({ seq }: Stored): boolean =>
      logged.length > 0 || place <= ofLog || (log.isWhole && seq <= this.#seen);
    for (const stored of own.found) {
      place = this.#log === undefined ? 0 : Math.max(place, stored.place);
      takeLogged(place);
      if (!isPlaced(stored)) return { items, isHeld: true };
      ofOwn = stored.seq;
      items.push({ message: stored.message, position: { own: ofOwn, log: ofLog } });
    }
    // Where there are more of its own, they may come before the rest of the log.
    if (own.isWhole) takeLogged(Infinity);
    return { items, isHeld: !own.isWhole && logged.length > 0 };
  }
}

/** Twice as many where all were there; as many as there were else. */
function widthAfter({ found, isWhole }: Read): number {
  return isWhole ? Math.max(1, found.length) : Math.min(MOST, 2 * Math.max(1, found.length));
}
