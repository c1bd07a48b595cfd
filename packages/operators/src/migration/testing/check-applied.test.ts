import { expect, test } from 'vitest';
import { checkApplied } from './check-applied.ts';

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
