import { expect, test } from 'vitest';
import { soonest, undoneWait } from './undone-wait.ts';

const at = (resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion },
});

test('an update that changed nothing is looked at again', () => {
  expect(undoneWait(at('7'), at('7'))).toBe(30_000);
  expect(undoneWait(at('7'), at('8'))).toBeUndefined();
  expect(undoneWait(at('7'), undefined)).toBeUndefined();
});

test('the shortest wait counts', () => {
  expect(soonest(undefined, 30_000, 200)).toEqual({ requeueAfter: 200 });
  expect(soonest(30_000, 0)).toEqual({ requeueAfter: 0 });
  expect(soonest(undefined, Number.POSITIVE_INFINITY)).toEqual({});
});
