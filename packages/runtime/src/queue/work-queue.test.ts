import { createManualClock } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

function setUp() {
  const clock = createManualClock();
  const noted: string[] = [];
  const queue = new WorkQueue<string>({
    clock,
    keyOf: (item) => item,
    observer: {
      onAdd: (depth) => noted.push(`add ${depth}`),
      onTake: (depth, waited) => noted.push(`take ${depth} after ${waited}`),
      onDone: (worked) => noted.push(`done in ${worked}`),
      onRetry: () => noted.push('retry'),
    },
  });
  return { clock, queue, noted };
}

describe('the groups of a work queue', () => {
  const inGroups = (maxConcurrent: number) =>
    new WorkQueue<string>({
      clock: createManualClock(),
      keyOf: String,
      groups: { of: ([group = '']) => group, maxConcurrent },
    });

  it('take turns, whoever came first and with however many', async () => {
    const queue = inGroups(Number.POSITIVE_INFINITY);
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.add(item);
    const taken = [];
    for (let left = queue.depth; left > 0; left--) taken.push(await queue.take());
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('have no more items in work than they may, and their next one as soon as one is done', async () => {
    const queue = inGroups(2);
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b1']) queue.add(item);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a1', 'b1', 'a2']);
    const waiting = queue.take();
    expect(queue.depth).toBe(2);
    queue.add('c1');
    expect(await waiting).toBe('c1');
    const next = [queue.take(), queue.take()];
    queue.done('a1');
    expect(await next[0]).toBe('a3');
    queue.done('a2');
    expect(await next[1]).toBe('a4');
  });

  it('leave lower priorities to others where they are full', async () => {
    const queue = inGroups(1);
    queue.add('a1', 5);
    queue.add('a2', 5);
    queue.add('b1', -100);
    expect([await queue.take(), await queue.take()]).toEqual(['a1', 'b1']);
    queue.add('a2', 7);
    queue.done('a1');
    expect(await queue.take()).toBe('a2');
  });
});

describe('a work queue', () => {
  it('gives out each waiting item once, in order of arrival', async () => {
    const { queue } = setUp();
    for (const item of ['a', 'b', 'a', 'c', 'b']) queue.add(item);
    expect(queue.depth).toBe(3);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a', 'b', 'c']);
  });

  it('keeps that order through thousands that come and go', async () => {
    const { queue } = setUp();
    const items = Array.from({ length: 5000 }, (_, index) => `item-${index}`);
    for (const item of items.slice(0, 3000)) queue.add(item);
    const taken: (string | undefined)[] = [];
    for (const late of [...items.slice(3000), ...Array.from({ length: 3000 }, () => undefined)]) {
      if (late !== undefined) queue.add(late);
      taken.push(await queue.take());
    }
    expect(taken).toEqual(items);
  });

  it('never gives an item to two workers: it comes again when the first is done', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('a');
    expect(queue.depth).toBe(0);
    queue.done('a');
    expect(queue.depth).toBe(1);
    expect(await queue.take()).toBe('a');
    queue.done('a');
    expect(queue.depth).toBe(0);
  });

  it('gives to who waits first', async () => {
    const { queue } = setUp();
    const takers = [queue.take(), queue.take()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all(takers)).toEqual(['a', 'b']);
  });

  it('puts higher priorities first, and raises an item that is added again', async () => {
    const { queue } = setUp();
    queue.add('low', -100);
    queue.add('raised', -100);
    queue.add('normal');
    queue.add('raised', 5);
    queue.add('normal', -100);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['raised', 'normal', 'low']);
  });

  it('adds later, and the earliest of several delays counts', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 200);
    await clock.advance(49);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('waits as long as is asked for after a failure, where its back-off is shorter', async () => {
    const { clock, queue } = setUp();
    queue.addRateLimited('a', 0, 30_000);
    await clock.advance(29_999);
    expect([queue.depth, queue.failures('a')]).toEqual([0, 1]);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });

  it('waits twice as long after each failure, up to the bound, until the item is forgotten', async () => {
    const { clock, queue, noted } = setUp();
    const waits: number[] = [];
    const fail = async (): Promise<void> => {
      queue.addRateLimited('a');
      const before = clock.monotonic();
      await clock.advanceToNext();
      waits.push(clock.monotonic() - before);
      await queue.take();
      queue.done('a');
    };
    for (let i = 0; i < 20; i++) await fail();
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.slice(-2)).toEqual([1_000_000, 1_000_000]);
    expect(queue.failures('a')).toBe(20);
    queue.forget('a');
    await fail();
    expect(waits.at(-1)).toBe(5);
    expect(noted.filter((note) => note === 'retry')).toHaveLength(21);
  });

  it('tells how long items waited and were worked on', async () => {
    const { clock, queue, noted } = setUp();
    queue.add('a');
    await clock.advance(30);
    await queue.take();
    await clock.advance(7);
    expect(queue.workingFor()).toEqual([7]);
    queue.done('a');
    expect(noted).toEqual(['add 1', 'take 0 after 30', 'done in 7']);
  });

  it('ends: those who wait get nothing, delays are gone, nothing is accepted', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('later', 10);
    const taker = queue.take();
    queue.shutDown();
    expect(await taker).toBeUndefined();
    expect(clock.pending).toBe(0);
    queue.add('a');
    queue.addAfter('a', 1);
    queue.done('never taken');
    expect(await queue.take()).toBeUndefined();
  });

  it('keeps the highest priority of several delays, and knows the one of what is being worked on', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 100, -100);
    queue.addAfter('a', 200, 7);
    queue.addAfter('b', 100, 3);
    await clock.advance(100);
    expect(await queue.take()).toBe('a');
    expect(queue.priorityOf('a')).toBe(7);
    expect(queue.priorityOf('b')).toBe(0);
    expect(await queue.take()).toBe('b');
    expect(clock.pending).toBe(0);
  });

  it('tells how many wait at each priority', () => {
    const depths: Record<number, number> = {};
    const onDepth = (priority: number, depth: number): void => void (depths[priority] = depth);
    const queue = new WorkQueue<string>({ clock: createManualClock(), keyOf: String, observer: { onDepth } });
    queue.add('a', -100);
    queue.add('b', -100);
    queue.add('b');
    expect(depths).toEqual({ [-100]: 1, 0: 1 });
    queue.shutDown();
    expect(depths).toEqual({ [-100]: 0, 0: 0 });
  });
});
