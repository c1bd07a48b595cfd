import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the browser loads by itself, before anybody follows a link. */
const LOADED =
  /<(?:script|img|source|iframe|video|audio)\b[^>]*?\ssrc="([^"]*)"|<link\b[^>]*?\shref="([^"]*)"/g;
const STYLES = /url\(["']?([^"')]+)["']?\)|@import ["']([^"']+)["']/g;
const OUTSIDE = /^(?:https?:)?\/\//;

export type SiteCheck = {
  readonly pages: number;
  readonly links: number;
  readonly faults: readonly string[];
};

/** Follows each internal link of the built pages, with its anchor; and finds what a browser would load from elsewhere. */
export function checkSite(folder: string): SiteCheck {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const pages = files.filter((path) => path.endsWith('.html'));
  const texts = new Map(pages.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const anchors = new Map(
    [...texts].map(([path, text]) => [path, new Set(matches(text, /\sid="([^"]*)"/g))]),
  );
  const links = [...texts].flatMap(([page, text]) =>
    [...new Set(matches(text, /<a\b[^>]*?\shref="([^"]*)"/g))].map((link) => ({ page, link })),
  );
  const inside = links.filter(({ link }) => !/^[a-z]+:|^\/\//.test(link));
  const styles = files.filter((path) => path.endsWith('.css'));
  return {
    pages: pages.length,
    links: inside.length,
    faults: [
      ...inside.flatMap(({ page, link }) => linkFault(folder, page, link, anchors)),
      ...[...texts].flatMap(([page, text]) => loadFaults(folder, page, matches(text, LOADED))),
      ...styles.flatMap((path) =>
        loadFaults(folder, path, matches(readFileSync(join(folder, path), 'utf8'), STYLES)),
      ),
    ],
  };
}

const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

/** The first group of each match that has one. */
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, first, second]) => unescaped(first ?? second ?? ''));

function linkFault(
  folder: string,
  page: string,
  link: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const [path = '', anchor = ''] = link.split('#', 2);
  const file = path === '' ? page : fileOf(folder, page, path);
  if (file === undefined) return [`${page}: ${link} is not there`];
  const name = decodeURIComponent(anchor);
  if (name === '' || anchors.get(file)?.has(name) !== false) return [];
  return [`${page}: ${link} has no such heading`];
}

/** The file that a web server gives for a path: that of its name, or the index of the folder. */
function fileOf(folder: string, page: string, path: string): string | undefined {
  const plain = decodeURIComponent(path.split('?', 1)[0] ?? '');
  const full = plain.startsWith('/') ? join(folder, plain) : join(folder, dirname(page), plain);
  const file = plain.endsWith('/') ? join(full, 'index.html') : full;
  return existsSync(file) ? relative(folder, file) : undefined;
}

function loadFaults(folder: string, page: string, sources: readonly string[]): readonly string[] {
  return [...new Set(sources)].flatMap((source) => {
    if (source.startsWith('data:')) return [];
    if (OUTSIDE.test(source)) return [`${page}: loads ${source}, which is not of this site`];
    return fileOf(folder, page, source) === undefined ? [`${page}: ${source} is not there`] : [];
  });
}
