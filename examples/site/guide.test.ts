import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { guideFiles } from '../../test/packages/guide-files.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const withoutBlankLines = (text = ''): string => text.replaceAll(/\n+/g, '\n');
const names = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.ts'));
const files = names.filter((name) => name !== 'guide.test.ts');

it.each(files)('the guide shows all of %s', (name) => {
  expect(withoutBlankLines(guideFiles().get(name))).toBe(withoutBlankLines(read(name)));
});

it('the guide shows no other code', () => {
  expect([...guideFiles().keys()].toSorted()).toEqual(files.toSorted());
});

it.each([
  ['site-operator.ts', 100],
  ['site-operator.test.ts', 40],
])('%s has fewer than %d lines', (name, most) => {
  expect(read(name).trimEnd().split('\n').length).toBeLessThan(most);
});
