import { createManualClock } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { createBacklog } from './create-backlog.ts';

/** Longer than a pause that ends a burst. */
const PAUSE_MS = 20;

function setUp() {
  const clock = createManualClock();
  const errors: unknown[] = [];
  const log = { ...silentLogger, error: (message: string) => void errors.push(message) };
  const done: number[] = [];
  const backlog = createBacklog(clock, log);
  return { clock, errors, done, backlog, add: (one: number) => backlog.add(() => void done.push(one)) };
}

test('what is added is done in its order, when nothing more comes', async () => {
  const { clock, done, add } = setUp();
  add(1);
  add(2);
  await clock.advance(1);
  expect(done).toEqual([]);
  await clock.advance(PAUSE_MS);
  add(3);
  await clock.advance(PAUSE_MS);
  expect(done).toEqual([1, 2, 3]);
  expect(clock.pending).toBe(0);
});

test('nothing is done within a burst, and what comes behind it waits for a part of it', async () => {
  const { clock, done, add } = setUp();
  for (let index = 0; index < 12; index++) {
    add(index);
    await clock.advance(1);
  }
  expect(done).toEqual([]);
  await clock.advanceToNext();
  expect(done.length).toBeLessThan(10);
  await clock.advance(PAUSE_MS);
  expect(done).toHaveLength(12);
});

test('a stream that has no end does not put it off for ever', async () => {
  const { clock, done, add } = setUp();
  for (let index = 0; index < 15; index++) {
    add(index);
    await clock.advance(8);
  }
  expect(done.length).toBeGreaterThan(4);
});

test('who reads what it writes has it done before, once', async () => {
  const { clock, done, add, backlog } = setUp();
  add(1);
  backlog.drain();
  expect(done).toEqual([1]);
  await clock.advance(PAUSE_MS);
  expect(done).toEqual([1]);
});

test('it does not grow for as long as a flood lasts', () => {
  const { done, add } = setUp();
  for (let index = 0; index < 450; index++) add(index);
  expect(done.length).toBeGreaterThan(400);
});

test('what fails is logged, and the rest is done', async () => {
  const { clock, done, errors, add, backlog } = setUp();
  backlog.add(() => JSON.parse('{'));
  add(1);
  await clock.advance(PAUSE_MS);
  expect([done, errors]).toEqual([[1], ['cannot keep a decision']]);
});
