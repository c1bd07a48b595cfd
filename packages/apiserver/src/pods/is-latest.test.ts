import { expect, test } from 'vitest';
import { isLatest } from './is-latest.ts';

test.each([
  ['busybox', true],
  ['registry.example:5000/a/b:latest', true],
  ['busybox:1.36', false],
  [`busybox@sha256:${'0'.repeat(64)}`, false],
  ['@'.repeat(300_000), false],
  [`${'a.'.repeat(300_000)}!`, false],
  [`${'a/'.repeat(300_000)}:`, false],
])('whether an image is the latest: %.40s', (image, expected) => {
  expect(isLatest(image)).toBe(expected);
});
