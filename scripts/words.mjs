// Checks that code, comments, help and documentation use the field's words: scripts/words.json says which words they do not
// use, and what they say instead. The list is short on purpose: it has a word only where Kubernetes has another one for
// the same thing.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ROOT, lineOf } from './checks/sources.mjs';

/** `in`: where the word does not belong; default: everywhere. `allow`: files that quote others. */
const WORDS = JSON.parse(readFileSync(join(ROOT, 'scripts/words.json'), 'utf8')).map((word) => ({
  ...word,
  pattern: new RegExp(word.pattern, 'g'),
}));

const FOLDERS = ['.ci', 'bench', 'docs', 'examples', 'packages', 'scripts', 'test', 'tools'];
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'scenarios']);
const CODE = /\.(?:ts|mts|mjs|js|sh|yaml)$|\/run$/;
const TEST = /\.(?:test|contract)\.ts$|\/testing\/|^test\/|^bench\//;
/** A test may read as a story: a few words are for it alone. */
const KINDS = {
  code: (file) => CODE.test(file),
  docs: (file) => file.endsWith('.md'),
  source: (file) => CODE.test(file) && !TEST.test(file),
  prose: (file) => file.endsWith('.md') || KINDS.source(file),
  all: (file) => file.endsWith('.md') || CODE.test(file),
};

function* texts(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* texts(path);
    } else if (KINDS.all(path)) yield path;
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

function hits({ pattern, in: kind = 'all', allow = [] }, all) {
  const searched = all.filter(({ file }) => KINDS[kind](file) && !allow.includes(file));
  return searched.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => `${file}:${lineOf(text, index)}: ${found}`),
  );
}

const all = files();
const faults = WORDS.flatMap((word) => hits(word, all).map((hit) => `${hit}: say ${word.say}`));
for (const fault of faults) console.error(fault);
console.log(
  `words: ${all.length} files, ${WORDS.length} words, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
