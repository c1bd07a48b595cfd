import { expect, test } from 'vitest';
import { readAhead } from './read-ahead.ts';

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
