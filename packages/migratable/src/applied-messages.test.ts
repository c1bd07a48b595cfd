import { expect, test } from 'vitest';
import { AppliedMessages } from './applied-messages.ts';
import { identifyByBody } from './identify.ts';
import { MOST_GAPS } from './missing-numbers.ts';
import type { Message } from './messages.ts';

function applying(): {
  readonly applied: AppliedMessages;
  readonly seqs: number[];
  readonly take: (...taken: readonly number[]) => Promise<void>;
} {
  const seqs: number[] = [];
  const seqOf = ({ body }: Message): number => (body as { readonly seq: number }).seq;
  const applied = new AppliedMessages(identifyByBody, (message) => void seqs.push(seqOf(message)));
  return {
    applied,
    seqs,
    async take(...taken) {
      for (const seq of taken) await applied.apply({ body: { seq } });
    },
  };
}

test('a message that comes after later ones is applied: it is a duplicate only if it was applied', async () => {
  const { applied, seqs, take } = applying();
  await take(0, 1, 2, 6, 4, 4, 3, 6, 2);
  expect(seqs).toEqual([0, 1, 2, 6, 4, 3]);
  expect(applied.counts).toMatchObject({ applied: 6, duplicates: 3, gaps: 1 });
  expect(applied.missing).toEqual({ '': [[5, 5]] });
  await take(5);
  expect(seqs.at(-1)).toBe(5);
  expect(applied.missing).toEqual({});
});

test('what comes below the first number of a producer was not applied', async () => {
  const { applied, seqs, take } = applying();
  await take(23, 24, 1, 2, 1);
  expect(seqs).toEqual([23, 24, 1, 2]);
  expect(applied.counts).toMatchObject({ duplicates: 1, gaps: 0 });
});

test('who takes the state over knows which numbers it lacks', async () => {
  const source = applying();
  await source.take(0, 1, 5);
  const target = applying();
  target.applied.watermarks = source.applied.watermarks;
  target.applied.missing = source.applied.missing;
  await target.take(1, 3, 3, 5, 6);
  expect(target.seqs).toEqual([3, 6]);
  expect(target.applied.missing).toEqual({
    '': [
      [2, 2],
      [4, 4],
    ],
  });
});

test('who leaves out numbers all the time has as many gaps as are remembered, the latest ones', async () => {
  const { applied, take } = applying();
  const last = 4 * MOST_GAPS;
  for (let seq = 0; seq <= last; seq += 2) await take(seq);
  expect(applied.missing['']).toHaveLength(MOST_GAPS);
  expect(applied.missing['']?.at(-1)).toEqual([last - 1, last - 1]);
});

test('the gaps of a producer with any name are its own', async () => {
  const { applied } = applying();
  for (const seq of [0, 1, 3]) await applied.apply({ body: { producer: '__proto__', seq } });
  expect(Object.entries(applied.missing)).toEqual([['__proto__', [[2, 2]]]]);
});
