import { createManualClock } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';
import { expect, test } from 'vitest';
import { startLoad } from './start-load.ts';

test('a load of 40 messages a second numbers them, and says how many were confirmed', async () => {
  const clock = createManualClock();
  const messages: Message[] = [];
  const publish = async (message: Message): Promise<void> => void messages.push(message);
  const load = startLoad({ producer: 'a', perSecond: 40, publish, clock });
  await clock.advance(999);
  expect(load.published).toBe(40);
  expect(await load.stop()).toBe(40);
  expect(messages.map(({ body }) => (body as { readonly seq: number }).seq)).toEqual(
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  expect(clock.pending).toBe(0);
});

test('a load that nobody follows leaves turns out, and no number', async () => {
  const clock = createManualClock();
  const numbers: number[] = [];
  const publish = async ({ body }: Message): Promise<void> =>
    void numbers.push((body as { readonly seq: number }).seq);
  let isFollowed = true;
  const load = startLoad({ producer: 'a', perSecond: 10, publish, mayPublish: () => isFollowed, clock });
  await clock.advance(199);
  isFollowed = false;
  await clock.advance(500);
  isFollowed = true;
  await clock.advance(200);
  expect(await load.stop()).toBe(4);
  expect(numbers).toEqual([1, 2, 3, 4]);
});

test('a load whose message is not confirmed says so', async () => {
  const publish = (): Promise<void> => Promise.reject(new RangeError('away'));
  const load = startLoad({ producer: 'a', perSecond: 40, publish, clock: createManualClock() });
  await expect(load.stop()).rejects.toThrow('away');
});
