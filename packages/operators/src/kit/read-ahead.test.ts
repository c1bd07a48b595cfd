import { expect, test } from 'vitest';
import { readAhead } from './read-ahead.ts';

test('calls under way hold no more than they may together, but for one that is larger alone', async () => {
  const weights = [3, 3, 3, 20, 1, 1];
  let [held, most] = [0, 0];
  const read = async (weight: number): Promise<number> => {
    held += weight;
    most = Math.max(most, weight > 6 ? held - weight : held);
    await new Promise((resolve) => void setImmediate(resolve));
    held -= weight;
    return weight;
  };
  const bound = { most: 6, weightOf: (weight: number) => weight };
  const results: number[] = [];
  for await (const result of readAhead(weights, 4, read, bound)) results.push(result);
  expect(results).toEqual(weights);
  expect(most).toBe(6);
});

test('a call that fails ends the others first: nothing is written after the error is known', async () => {
  let finish: () => void = () => undefined;
  const other = new Promise<void>((resolve) => void (finish = resolve));
  const done: string[] = [];
  const write = async (item: string): Promise<void> => {
    if (item === 'bad') throw new TypeError('the disk is full');
    await other;
    done.push(item);
  };
  const all = async (): Promise<void> => {
    for await (const _ of readAhead(['bad', 'slow'], 2, write));
  };
  const failing = all().catch((error: unknown) => [...done, String(error)]);
  // The slow one ends when whatever the failed one does without it is done.
  setImmediate(finish);
  expect(await failing).toEqual(['slow', 'TypeError: the disk is full']);
});
