import { expect, test } from 'vitest';
import { challengeIn } from './challenge-in.ts';

test('the challenge of a registry is read, and a header without one in time that grows with it', () => {
  expect(challengeIn('Basic realm="x"')).toEqual({ scheme: 'basic' });
  expect(challengeIn('Bearer realm="https://a.example/t",service="s"')).toMatchObject({ scheme: 'bearer' });
  expect(challengeIn(`Bearer ${'a'.repeat(300_000)}`)).toBeUndefined();
});
