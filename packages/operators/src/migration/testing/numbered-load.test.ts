import { createManualClock } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';
import { expect, test } from 'vitest';
import { checkApplied, startLoad } from './numbered-load.ts';

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

test('a load whose message is not confirmed says so', async () => {
  const publish = (): Promise<void> => Promise.reject(new RangeError('away'));
  const load = startLoad({ producer: 'a', perSecond: 40, publish, clock: createManualClock() });
  await expect(load.stop()).rejects.toThrow('away');
});

test.each([
  ['each once', [1, 2, 3], {}],
  ['one is missing', [1, 3], { missing: [2] }],
  ['one is double', [1, 2, 2, 3], { double: [2] }],
  ['one comes late', [1, 3, 2], { disordered: [2] }],
])('%s', (_what, seqs, expected: { missing?: number[]; double?: number[]; disordered?: number[] }) => {
  const numbered = (list: readonly number[] = []): object[] => list.map((seq) => ({ producer: 'a', seq }));
  const verdict = checkApplied(
    seqs.map((seq) => ({ producer: 'a', seq })),
    new Map([['a', 3]]),
  );
  expect(verdict).toEqual({
    missing: numbered(expected.missing),
    double: numbered(expected.double),
    disordered: numbered(expected.disordered),
  });
});
