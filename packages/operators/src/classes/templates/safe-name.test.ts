import { expect, test } from 'vitest';
import { safeName } from './safe-name.ts';

test.each([
  ['--Web.App--', 'web-app'],
  ['---', 'default'],
  ['1a', 'a1a'],
  [`a${'-'.repeat(300_000)}b`, 'a'],
])('a name becomes a DNS label: %.20s', (name, label) => {
  expect(safeName(name)).toBe(label);
});
