import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { renderPicture } from './render-picture.ts';

/** Renders each drawing of `docs/pictures` beside it. */
const FOLDER = new URL('../../docs/pictures/', import.meta.url);

for (const name of readdirSync(FOLDER).filter((one) => one.endsWith('.txt'))) {
  const picture = renderPicture(readFileSync(new URL(name, FOLDER), 'utf8'));
  writeFileSync(new URL(name.replace(/\.txt$/, '.svg'), FOLDER), picture);
}
