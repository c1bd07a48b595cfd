import { EventEmitter } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../time/manual-clock.ts';
import { BodyGate, type BodyLimits, type RejectedBody } from './body-gate.ts';

const LIMITS: BodyLimits = {
  largest: 1000,
  small: 10,
  underWay: 4,
  turns: 1,
  readMs: 10_000,
  wantedMs: 1000,
  waitMs: 5000,
};

/** A request whose sender does what the test says. */
class Sender extends EventEmitter {
  isPaused = false;
  isGone = false;
  sent = 0;
  result: string | undefined;

  get isOver(): boolean {
    return this.isGone || this.result !== undefined;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  send(bytes: number): this {
    this.sent += bytes;
    this.emit('data', new Uint8Array(bytes));
    return this;
  }

  sendEnd(): this {
    this.emit('end');
    return this;
  }

  do(act: string, bytes: number): void {
    if (act === 'send' && !this.isPaused) this.send(bytes);
    if (act === 'end' && !this.isPaused) this.sendEnd();
    if (act === 'go') this.goAway();
  }

  goAway(): void {
    this.isGone = true;
    this.emit('close');
  }
}

function openGate(limits: Partial<BodyLimits> = {}) {
  const clock = createManualClock();
  const gate = new BodyGate({ ...LIMITS, ...limits }, clock);
  const begin = (peer: string, announced?: number): Sender => {
    const sender = new Sender();
    const done = (given: Uint8Array | RejectedBody): void => {
      sender.result = typeof given === 'string' ? given : `${given.length} bytes`;
    };
    gate.read(sender, { peer, announced, exchange: sender, done });
    return sender;
  };
  return { begin, clock };
}

describe('the gate of bodies', () => {
  it('takes no memory for what a body announces, as long as nothing of it comes', () => {
    const TOO_MUCH_TO_ALLOCATE = 2 ** 52;
    const { begin } = openGate({ largest: TOO_MUCH_TO_ALLOCATE });
    const silent = begin('a', TOO_MUCH_TO_ALLOCATE);
    const next = begin('a', 20);
    expect(next.isPaused).toBe(true);
    silent.goAway();
    expect(next.send(20).sendEnd().result).toBe('20 bytes');
  });

  it('reads a small body at once, and one without a length until it is larger than allowed', () => {
    const { begin } = openGate();
    expect(begin('a', 6).send(2).send(4).sendEnd().result).toBe('6 bytes');
    expect(begin('a').sendEnd().result).toBe('0 bytes');
    expect(begin('a').send(600).send(600).sendEnd().result).toBe('too large');
    expect(begin('a', 1001).result).toBe('too large');
  });

  it('leaves a large body with its sender until the one before it is no longer in use', () => {
    const { begin } = openGate();
    const first = begin('a', 500).send(500).sendEnd();
    expect(first.result).toBe('500 bytes');
    const second = begin('a', 600);
    const small = begin('a', 5).send(5).sendEnd();
    expect([second.isPaused, small.result]).toEqual([true, '5 bytes']);
    first.goAway();
    expect(second.isPaused).toBe(false);
    expect(second.send(600).sendEnd().result).toBe('600 bytes');
  });

  it('gives turns to peers, however many bodies one of them has', () => {
    const { begin } = openGate({ underWay: 50 });
    const flood = Array.from({ length: 20 }, () => begin('flood', 500));
    const other = begin('other', 500);
    flood[0]?.goAway();
    const [next, ...more] = flood.filter(({ isPaused, isGone }) => !isPaused && !isGone);
    expect(more).toEqual([]);
    next?.goAway();
    expect(other.isPaused).toBe(false);
  });

  it('takes the turn from a body that does not come, or comes too slowly, when others wait for it', async () => {
    const { begin, clock } = openGate();
    const half = begin('a', 500).send(20);
    await clock.advance(5000);
    expect(half.result).toBeUndefined();
    const drip = begin('b', 500);
    await clock.advance(1000);
    expect([half.result, drip.isPaused]).toEqual(['too late', false]);
    const other = begin('c', 500);
    for (let i = 0; i < 4; i++) {
      drip.send(1);
      await clock.advance(250);
    }
    expect([drip.result, other.isPaused]).toEqual(['too late', false]);
  });

  it('rejects what does not come in time, and what waits for too long', async () => {
    const { begin, clock } = openGate();
    const silent = begin('a', 5);
    const inUse = begin('a', 500).send(500).sendEnd();
    const waiting = begin('a', 500);
    await clock.advance(5000);
    expect([silent.result, inUse.result, waiting.result]).toEqual([undefined, '500 bytes', 'too many']);
    await clock.advance(5000);
    expect(silent.result).toBe('too late');
  });

  it('displaces the oldest of the peer that has the most under way, and no other', () => {
    const { begin } = openGate();
    const honest = begin('honest', 5);
    const flood = Array.from({ length: 10 }, () => begin('flood', 5).send(1));
    expect(honest.send(5).sendEnd().result).toBe('5 bytes');
    expect(flood.map(({ result }) => result)).toEqual([
      ...Array.from({ length: 7 }, () => 'too many'),
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has no more under way, and reads no more of what is large, than its limits allow', () => {
    const step = fc.record({
      peer: fc.constantFrom('a', 'b', 'c'),
      act: fc.constantFrom('begin', 'send', 'end', 'go'),
      size: fc.integer({ min: 0, max: 1200 }),
      at: fc.nat(30),
    });
    const play = (steps: readonly { peer: string; act: string; size: number; at: number }[]): void => {
      const { begin } = openGate();
      const senders: Sender[] = [];
      for (const { peer, act, size, at } of steps) {
        if (act === 'begin') senders.push(begin(peer, size));
        const underWay = senders.filter(({ isOver }) => !isOver);
        const one = underWay[at % Math.max(underWay.length, 1)];
        one?.do(act, size);
        const left = senders.filter(({ isOver }) => !isOver);
        expect(left.length).toBeLessThanOrEqual(LIMITS.underWay);
        const large = left.filter(({ isPaused, sent }) => !isPaused && sent > LIMITS.small);
        expect(large.length).toBeLessThanOrEqual(LIMITS.turns);
      }
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 200 }), play));
  });
});
