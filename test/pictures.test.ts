import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderPicture } from '../tools/pictures/render-picture.ts';

const FOLDER = new URL('../docs/pictures/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const files = readdirSync(FOLDER);

test('each picture of docs/pictures is what `npm run pictures` makes of its text', () => {
  const sources = files.filter((name) => name.endsWith('.txt'));
  expect(files.filter((name) => name.endsWith('.svg'))).toEqual(
    sources.map((name) => name.replace('.txt', '.svg')),
  );
  for (const name of sources)
    expect(read(name.replace('.txt', '.svg')), name).toBe(renderPicture(read(name)));
});

test('lines and arrows become shapes, words become text, and nothing is read as markup', () => {
  const picture = renderPicture('# a & b\n┌──▶ x <y>\n');
  expect(picture).toContain('<title id="title">a &amp; b</title>');
  expect(picture).toContain('d="M20 25H44M20 25V34"');
  expect(picture).toContain('d="M44 25m4 0l-8 -5v10z"');
  expect(picture).toMatch(/<text [^>]*>x &lt;y&gt;<\/text>/);
});
