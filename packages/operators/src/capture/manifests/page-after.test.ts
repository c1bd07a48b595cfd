import { expect, test } from 'vitest';
import { FIRST_PAGE, pageAfter } from './page-after.ts';

const page = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({ data: { text: 'x'.repeat(bytes) } }));

test('pages of small objects grow, at most twofold and never for ever', () => {
  expect(pageAfter(page(FIRST_PAGE, 100))).toBe(FIRST_PAGE * 2);
  expect(pageAfter(page(190, 100))).toBe(200);
});

test('pages of large objects have a few MiB', () => {
  expect(pageAfter(page(80, 300_000))).toBe(6);
  expect(pageAfter(page(10, 1_500_000))).toBe(4);
});
