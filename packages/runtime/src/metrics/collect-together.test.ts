import { createManualClock } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { collectTogether } from './collect-together.ts';

function counting() {
  let collected = 0;
  return { metrics: async () => `collection ${++collected}` };
}

test('requests that come in the same turn of the loop, each from a callback of its own, share one collection', async () => {
  const collect = collectTogether(counting());
  const texts: Promise<string>[] = [];
  for (let at = 0; at < 5; at++) {
    texts.push(collect());
    // As after each callback of a socket, all microtasks have run before the next request is read.
    for (let tick = 0; tick < 50; tick++) await Promise.resolve();
  }
  expect(new Set(await Promise.all(texts))).toEqual(new Set(['collection 1']));
});

test('a request that comes right after a collection waits for its pause, and gets a new one', async () => {
  const clock = createManualClock();
  const collect = collectTogether(counting(), clock);
  const first = collect();
  await clock.advance(0);
  expect(await first).toBe('collection 1');
  const later = [collect(), collect()];
  await clock.advance(99);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(await Promise.all(later)).toEqual(['collection 2', 'collection 2']);
});

test('a collection that fails is reported to those who share it, and the next is tried', async () => {
  let fails = true;
  const collect = collectTogether({
    metrics: async () => {
      if (fails) throw new RangeError('a collector failed');
      return 'up 1';
    },
  });
  await expect(Promise.all([collect(), collect()])).rejects.toThrow('a collector failed');
  fails = false;
  expect(await collect()).toBe('up 1');
});
