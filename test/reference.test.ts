import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePages } from '../tools/reference/reference-pages.ts';

const FOLDER = new URL('../docs/reference/', import.meta.url);

test('docs/reference is what `npm run reference` makes of the code', async () => {
  const pages = await referencePages();
  expect(readdirSync(FOLDER).toSorted()).toEqual([...pages.keys()].toSorted());
  for (const [name, text] of pages) expect(readFileSync(new URL(name, FOLDER), 'utf8'), name).toBe(text);
});
