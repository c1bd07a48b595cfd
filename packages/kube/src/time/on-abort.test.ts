import { expect, it } from 'vitest';
import { onAbort } from './on-abort.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('calls back when the signal is aborted, and not when it is forgotten', async () => {
  const stop = new AbortController();
  const calls: string[] = [];
  onAbort(stop.signal, () => calls.push('kept'));
  onAbort(stop.signal, () => calls.push('forgotten'))();
  stop.abort();
  await turn();
  expect(calls).toEqual(['kept']);
});

it('calls back also where the signal was aborted before, but not from within the call', async () => {
  const signal = AbortSignal.abort();
  const calls: string[] = [];
  onAbort(signal, () => calls.push('kept'));
  onAbort(signal, () => calls.push('forgotten'))();
  expect(calls).toEqual([]);
  await turn();
  expect(calls).toEqual(['kept']);
});
