import { PeerShares } from './peer-shares.ts';
import { PeerTurns } from './peer-turns.ts';

export type BodyLimits = {
  /** Bytes of a body. */
  readonly largest: number;
  /** Bytes that are read at once. What is larger waits for a turn, and is not read meanwhile. */
  readonly small: number;
  /** Bodies under way, of all peers. */
  readonly underWay: number;
  /** Larger bodies that are read, or in use, at once. */
  readonly turns: number;
  /** Milliseconds in which a body has to come, once it is read. */
  readonly readMs: number;
  /** The same for a larger one while others wait for its turn; and one of which nothing comes meanwhile loses it. */
  readonly wantedMs: number;
  /** Milliseconds that one waits for its turn. */
  readonly waitMs: number;
};

/** Why a body is not read: it is larger than allowed, does not come, or there are too many. */
export type RejectedBody = 'too large' | 'too late' | 'too many';

/** The readable side of a request of node. */
export type BodyStream = {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
};

export type BodyOrder = {
  /** Who sends it: peers have equal shares. */
  readonly peer: string;
  /** Bytes, as the request announces them. */
  readonly announced: number | undefined;
  /** Its `close` says that the request is over: the response is sent, or the peer has gone. */
  readonly exchange: { once(event: 'close', listener: () => void): unknown };
  /** Is called once, unless the request is over before. */
  readonly done: (body: Uint8Array | RejectedBody) => void;
};

type Time = {
  monotonic(): number;
  after(ms: number, callback: () => void, options: { readonly background: boolean }): () => void;
};

type Body = {
  readonly order: BodyOrder;
  readonly stream: BodyStream;
  readonly chunks: Uint8Array[];
  /** Of an announced length, once much of it has come in its turn: its chunks are copied, and not kept. */
  whole: Uint8Array | undefined;
  size: number;
  /** What had come at the last sweep. */
  sweptSize: number | undefined;
  isOver: boolean;
  /** When it has to be there, or to have its turn. */
  deadline: number;
  /** Of a larger one: when its turn began. */
  turnAt: number | undefined;
};

const SWEEP_MS = 500;

/**
 * Reads the bodies of requests, so that what peers send, or do not send, costs bounded memory. A small body is read at
 * once. Larger ones take turns, by peer, until their request is over; one that waits stays with its sender. A body that
 * does not come is given up.
 */
export class BodyGate {
  readonly #limits: BodyLimits;
  readonly #time: Time;
  readonly #underWay: PeerShares<Body>;
  readonly #turns: PeerTurns<Body>;
  #isSweeping = false;

  constructor(limits: BodyLimits, time: Time) {
    this.#limits = limits;
    this.#time = time;
    this.#underWay = new PeerShares(limits.underWay);
    this.#turns = new PeerTurns(limits.turns);
  }

  read(stream: BodyStream, order: BodyOrder): void {
    const { largest, small, readMs } = this.#limits;
    const { announced = 0, peer, exchange, done } = order;
    if (announced > largest) {
      stream.resume();
      return done('too large');
    }
    const deadline = this.#time.monotonic() + readMs;
    const body = bodyOf(stream, order, deadline);
    exchange.once('close', () => this.#release(body));
    const displaced = this.#underWay.add(peer, body);
    if (displaced !== undefined) this.#reject(displaced, 'too many');
    if (body.isOver) return undefined;
    stream.on('data', (chunk) => this.#take(body, chunk));
    stream.on('end', () => this.#complete(body));
    if (announced > small) this.#queue(body);
    this.#sweepLater();
  }

  #take(body: Body, chunk: Uint8Array): void {
    if (body.isOver) return;
    const { largest, small } = this.#limits;
    if (body.size > small) gather(body, this.#time.monotonic());
    const { whole } = body;
    body.size += chunk.length;
    if (body.size > (whole?.length ?? largest)) return this.#reject(body, 'too large');
    if (whole === undefined) body.chunks.push(chunk);
    else whole.set(chunk, body.size - chunk.length);
    if (body.size > small && body.turnAt === undefined) this.#queue(body);
  }

  /** Has a larger body wait for its turn. */
  #queue(body: Body): void {
    const now = this.#time.monotonic();
    body.turnAt = Number.POSITIVE_INFINITY;
    if (this.#turns.enter(body.order.peer, body)) return this.#begin(body, now);
    body.deadline = now + this.#limits.waitMs;
    body.stream.pause();
  }

  #begin(body: Body, now: number): void {
    body.turnAt = now;
    body.deadline = now + this.#limits.readMs;
    body.stream.resume();
  }

  #complete(body: Body): void {
    if (body.isOver) return;
    this.#end(body);
    const { chunks, size, whole } = body;
    const [first] = chunks;
    if (whole !== undefined) body.order.done(whole.subarray(0, size));
    else if (chunks.length === 1 && first !== undefined) body.order.done(first);
    else body.order.done(copy(chunks, new Uint8Array(size)));
    forget(body);
  }

  #reject(body: Body, why: RejectedBody): void {
    if (body.isOver) return;
    this.#end(body);
    forget(body);
    this.#giveTurn(body);
    // What still comes is dropped.
    body.stream.resume();
    body.order.done(why);
  }

  #release(body: Body): void {
    this.#end(body);
    forget(body);
    this.#giveTurn(body);
  }

  #end(body: Body): void {
    body.isOver = true;
    this.#underWay.delete(body.order.peer, body);
  }

  #giveTurn(body: Body): void {
    if (body.turnAt === undefined) return;
    const next = this.#turns.leave(body.order.peer, body);
    if (next !== undefined) this.#begin(next, this.#time.monotonic());
  }

  /** One timer for all, and only while there are any. */
  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#time.after(
      SWEEP_MS,
      () => {
        this.#isSweeping = false;
        this.#sweep(this.#time.monotonic());
        if (this.#underWay.size > 0) this.#sweepLater();
      },
      { background: true },
    );
  }

  #sweep(now: number): void {
    for (const body of this.#underWay) {
      const { deadline, turnAt } = body;
      const hasTurn = turnAt !== undefined && turnAt <= now;
      if (now >= deadline) this.#reject(body, turnAt === undefined || hasTurn ? 'too late' : 'too many');
      else if (!hasTurn || !this.#turns.isWanted) body.sweptSize = undefined;
      // Between two sweeps node has looked for what has come, however busy it is.
      else if (body.size === body.sweptSize || now - turnAt >= this.#limits.wantedMs)
        this.#reject(body, 'too late');
      else body.sweptSize = body.size;
    }
  }
}

function bodyOf(stream: BodyStream, order: BodyOrder, deadline: number): Body {
  const none = { whole: undefined, sweptSize: undefined, turnAt: undefined };
  return { order, stream, chunks: [], size: 0, isOver: false, deadline, ...none };
}

function forget(body: Body): void {
  body.chunks.length = 0;
  body.whole = undefined;
}

/** A body that has its turn goes into one array. One of which little comes takes no memory for what it announced. */
function gather(body: Body, now: number): void {
  const { chunks, order, size, turnAt, whole } = body;
  const { announced } = order;
  const hasTurn = turnAt !== undefined && turnAt <= now;
  if (whole !== undefined || !hasTurn || announced === undefined || announced < size) return;
  body.whole = new Uint8Array(announced);
  copy(chunks, body.whole);
  chunks.length = 0;
}

function copy(chunks: readonly Uint8Array[], to: Uint8Array): Uint8Array {
  let at = 0;
  for (const chunk of chunks) {
    to.set(chunk, at);
    at += chunk.length;
  }
  return to;
}
