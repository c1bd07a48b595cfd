import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.ts'));
const code = files.map((name) => read(name));
const blocks = [...read('../../docs/write-an-operator.md').matchAll(/^```ts\n(.*?)^```$/gms)];

it.each(blocks.map(([, block = '']) => [block.split('\n')[0]?.trim(), block]))(
  'the guide shows what is in the example: %s',
  (_first, block = '') => {
    expect(code.filter((text) => text.includes(block))).not.toEqual([]);
  },
);

it.each([
  ['site-operator.ts', 100],
  ['site-operator.test.ts', 40],
])('%s has fewer than %d lines', (name, most) => {
  expect(blocks.length).toBeGreaterThan(6);
  expect(read(name).trimEnd().split('\n').length).toBeLessThan(most);
});
