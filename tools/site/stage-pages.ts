import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** What the site links where it has no page: a file of the source, or a folder of it. */
const SOURCE = 'https://github.com/kubewright/kubewright';
const FOLDERS = ['docs', 'examples', 'findings', 'goldens', 'packages', 'test', 'tools'];
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'templates']);

/**
 * Copies all pages of the repository, and the pictures that they show, into `out`. Folders stay as they are, so that relative
 * links stay right; a README is the index of its folder, as it is on GitHub. Links to what is no page lead to the source.
 */
export function stagePages(root: string, out: string): readonly string[] {
  const files = [...readdirSync(root).filter((name) => /^[A-Z_]+\.md$/.test(name)), ...pagesIn(root)];
  const pages = new Set(files.filter((path) => path.endsWith('.md')));
  for (const path of files) {
    const target = join(out, staged(path));
    mkdirSync(dirname(target), { recursive: true });
    if (pages.has(path)) writeFileSync(target, stagePage(root, path, pages));
    else cpSync(join(root, path), target);
  }
  return [...pages];
}

/** Where the page of the site is. */
export const staged = (path: string): string => path.replace(/(^|\/)README\.md$/, '$1index.md');

function pagesIn(root: string): readonly string[] {
  const within = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : within(path);
      return /\.md$|^docs\/.*\.svg$/.test(path) ? [path] : [];
    });
  return FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap(within);
}

/** A page with its links as the site needs them, and without comments, which are for those who edit it. Code stays as it is. */
function stagePage(root: string, path: string, pages: ReadonlySet<string>): string {
  const text = readFileSync(join(root, path), 'utf8');
  const parts = text.split(/(^```[\s\S]*?^```$)/m);
  return parts
    .map((part, index) =>
      index % 2 === 1 ? part : stageText(part, (link) => target(root, path, link, pages)),
    )
    .join('');
}

function stageText(text: string, stageLink: (link: string) => string): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${stageLink(link)})`);
}

function target(root: string, page: string, link: string, pages: ReadonlySet<string>): string {
  if (/^[a-z]+:|^#/.test(link)) return link;
  const [to = '', anchor] = link.split('#', 2);
  const path = normalize(join(dirname(page), to)).replace(/\/$/, '');
  const file = statSync(join(root, path)).isDirectory() ? join(path, 'README.md') : path;
  const end = anchor === undefined ? '' : `#${anchor}`;
  if (pages.has(file)) return `${besides(relative(dirname(staged(page)), staged(file)))}${end}`;
  if (path.endsWith('.svg')) return link;
  return `${SOURCE}/${file === path ? 'blob' : 'tree'}/main/${path}${end}`;
}

const besides = (path: string): string => (path.startsWith('.') ? path : `./${path}`);
