// Checks that the documentation points at what is there: relative links with their anchors, and the paths that
// docs/architecture.md names in its table.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ROOT } from './checks/sources.mjs';

const FOLDERS = ['docs', 'examples', 'goldens', 'packages', 'tools'];
const SKIPPED = new Set(['node_modules', 'dist', 'data']);

function* pages(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* pages(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}

const withoutCode = (text) => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** The anchors that GitHub gives the headings of a page. */
function anchors(path) {
  const headings = [...withoutCode(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm)].map(
    ([, text]) => text,
  );
  const plain = headings.map((text) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase());
  return new Set(plain.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

function linkFault(page, link) {
  const [path, anchor] = link.split('#', 2);
  const target = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(target)) return 'is not there';
  if (anchor === undefined) return undefined;
  const file = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  return anchors(file).has(anchor) ? undefined : 'has no such heading';
}

function* brokenLinks(page) {
  const text = withoutCode(readFileSync(page, 'utf8'));
  for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    const fault = /^[a-z]+:/.test(link) ? undefined : linkFault(page, link);
    if (fault !== undefined) yield `${relative(ROOT, page)}: ${link} ${fault}`;
  }
}

/** Paths in backticks in the table; `…/name` is beside the path before it, `<name>` stands for any. */
function* missingPaths(page) {
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    if (!line.startsWith('| ')) continue;
    let before = '';
    for (const [, code] of line.matchAll(/`([\w@…<>./-]+)`/g)) {
      const path = code.startsWith('…/') ? join(dirname(before), code.slice(2)) : code;
      if (!/^[a-z]+\/src\//.test(path)) continue;
      before = path;
      const place = path.includes('<') ? path.slice(0, path.indexOf('<')) : path;
      if (!existsSync(join(ROOT, 'packages', place))) yield `${basename(page)}: ${path} is not there`;
    }
  }
}

const ofRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const all = [
  ...ofRoot.map((name) => join(ROOT, name)),
  ...FOLDERS.flatMap((folder) => [...pages(join(ROOT, folder))]),
];
const faults = [
  ...all.flatMap((page) => [...brokenLinks(page)]),
  ...missingPaths(join(ROOT, 'docs/architecture.md')),
];
for (const fault of faults) console.error(fault);
console.log(`links: ${all.length} pages, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`);
process.exitCode = faults.length === 0 ? 0 : 1;
