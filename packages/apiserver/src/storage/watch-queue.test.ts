import { expect, test, vi } from 'vitest';
import { WatchQueue } from './watch-queue.ts';

const frame = (text: string) => Buffer.from(text);
const text = async (queue: WatchQueue) => {
  const { done, value } = await queue.next();
  return done === true ? undefined : Buffer.from(value).toString();
};

test('what comes first is read first, and made only then', async () => {
  const make = vi.fn((name: string) => frame(name));
  function* initial() {
    yield make('a');
    yield make('b');
  }
  const queue = new WatchQueue(10, initial(), () => {});
  queue.push(frame('c'));
  expect(make).not.toHaveBeenCalled();
  expect(await text(queue)).toBe('abc');
});

test('a reader who waits is woken by the next frame', async () => {
  const queue = new WatchQueue(10, [].values(), () => {});
  const waiting = text(queue);
  queue.push(frame('a'));
  expect(await waiting).toBe('a');
});

test('who falls behind is cut off after what he can still read', async () => {
  const stop = vi.fn();
  const queue = new WatchQueue(2, [].values(), stop);
  expect([queue.push(frame('a')), queue.push(frame('b')), queue.push(frame('c'))]).toEqual([
    true,
    true,
    false,
  ]);
  expect(stop).toHaveBeenCalledTimes(1);
  expect(await text(queue)).toBe('ab');
  expect(await text(queue)).toBeUndefined();
});

test('a reader who leaves ends the watch once', async () => {
  const stop = vi.fn();
  const queue = new WatchQueue(2, [].values(), stop);
  await queue.return();
  queue.end();
  expect(stop).toHaveBeenCalledTimes(1);
  expect(queue.push(frame('a'))).toBe(false);
  expect(await text(queue)).toBeUndefined();
});
