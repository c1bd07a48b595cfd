// Checks that code, comments, help and documentation use the field's words: scripts/words.json says which words they do not
// use, and what they say instead. `--all` prints every hit. The list is short on purpose: a word stands in it only where
// Kubernetes has another one for the same thing.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ROOT, lineOf } from './checks/sources.mjs';

/** `in`: code or docs alone. `left`: how many hits there still are; it only shrinks. `allow`: files that quote others. */
const WORDS = JSON.parse(readFileSync(join(ROOT, 'scripts/words.json'), 'utf8')).map((word) => ({
  ...word,
  pattern: new RegExp(word.pattern, 'g'),
}));

const FOLDERS = ['.ci', 'bench', 'docs', 'examples', 'packages', 'scripts', 'test', 'tools'];
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'scenarios']);
const KINDS = { code: /\.(?:ts|mts|mjs|js|sh|yaml)$|\/run$/, docs: /\.md$/ };

function* texts(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* texts(path);
    } else if (Object.values(KINDS).some((kind) => kind.test(path))) yield path;
  }
}

function files() {
  const paths = FOLDERS.flatMap((folder) => [...texts(join(ROOT, folder))]);
  // Not the changelog: it names what was renamed.
  return [...paths, join(ROOT, 'README.md')].map((path) => ({
    file: relative(ROOT, path).split(sep).join('/'),
    text: readFileSync(path, 'utf8'),
  }));
}

function hits({ pattern, in: kind, allow = [] }, all) {
  const searched = all.filter(
    ({ file }) =>
      (kind === undefined || KINDS[kind].test(file)) && !allow.some((start) => file.startsWith(start)),
  );
  return searched.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => `${file}:${lineOf(text, index)}: ${found}`),
  );
}

const all = files();
let faults = 0;
for (const word of WORDS) {
  const { say, left = 0 } = word;
  const found = hits(word, all);
  if (found.length > left) faults += 1;
  if (found.length > left || process.argv.includes('--all')) {
    for (const hit of found) console.error(`${hit}: say ${say}`);
  }
  if (left > 0) console.log(`words: ${word.pattern.source}: ${found.length} left (allowed: ${left})`);
}
console.log(
  `words: ${all.length} files, ${WORDS.length} words, ${faults} ${faults === 1 ? 'fault' : 'faults'}`,
);
process.exitCode = faults === 0 ? 0 : 1;
