import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkSite } from '../tools/site/check-site.ts';
import { stageApi } from '../tools/site/stage-api.ts';
import { stagePages } from '../tools/site/stage-pages.ts';

/** A folder with these files, which goes with the test. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test('pages keep their folders, a README is the index of its own, and other files are linked in the source', () => {
  const root = folderOf({
    'README.md': '<!-- made -->\n[a](docs/README.md#b) [b](packages/one) [c](https://example.com)\n',
    'docs/README.md': '[up](../README.md) ![p](pictures/a.svg) [dir](../packages/two/) [file](../one.ts)\n',
    'docs/pictures/a.svg': '<svg/>',
    'docs/sub/page.md': '[x](../README.md)\n```md\n[y](none.md) <!-- kept -->\n```\n',
    'packages/one/README.md': '# One\n',
    'packages/one/dist/README.md': '# Not this one\n',
    'packages/two/file.ts': '',
    'one.ts': '',
  });
  const out = join(root, 'out');
  const pages = stagePages(root, out);
  expect(pages).toEqual(['README.md', 'docs/README.md', 'docs/sub/page.md', 'packages/one/README.md']);
  const page = (path: string): string => readFileSync(join(out, path), 'utf8');
  expect(page('index.md')).toBe(
    '[a](./docs/index.md#b) [b](./packages/one/index.md) [c](https://example.com)\n',
  );
  const source = 'https://github.com/kubewright/kubewright';
  expect(page('docs/index.md')).toBe(
    `[up](../index.md) ![p](pictures/a.svg) [dir](${source}/tree/main/packages/two) [file](${source}/blob/main/one.ts)\n`,
  );
  expect(page('docs/sub/page.md')).toBe('[x](../index.md)\n```md\n[y](none.md) <!-- kept -->\n```\n');
  expect(page('docs/pictures/a.svg')).toBe('<svg/>');
});

test('pages of the API have the anchors that TypeDoc links, and the names of packages', () => {
  const folder = folderOf({
    'kube/src/README.md':
      '# kube/src\n\n## Types\n\n<a id="lease-1"></a>\n\n### Lease\n\n[a](../../client/src.md#b) [c](README.md#lease-1)\n',
  });
  stageApi(folder);
  expect(readFileSync(join(folder, 'kube/src/index.md'), 'utf8')).toBe(
    '# @kubewright/kube\n\n## Types {#section-1}\n\n### Lease {#lease-1}\n\n[a](../../client/src.md#b) [c](index.md#lease-1)\n',
  );
});

test('a link to no page or to no heading, and whatever is loaded from elsewhere, is a fault of the site', () => {
  const folder = folderOf({
    'index.html':
      '<h1 id="top">A</h1><a href="/docs/page.html#b">b</a><a href="#top">t</a><a href="docs/">d</a>',
    'docs/index.html': '<a href="../index.html">up</a><a href="https://example.com">away</a>',
    'docs/page.html': '<h2 id="b">B</h2><link rel="stylesheet" href="/style.css"><img src="data:image/png,">',
    'style.css': 'p { background: url(data:image/png,) }',
  });
  expect(checkSite(folder)).toEqual({ pages: 3, links: 4, faults: [] });
  const broken = folderOf({
    'index.html':
      '<a href="/none.html">n</a><a class="x" href="page.html#c">c</a><script src="//cdn.example.com/a.js">',
    'page.html': '<img alt="" src="https://example.com/a.png"><link href="/none.css" rel="stylesheet">',
    'style.css': '@font-face { src: url("https://fonts.example.com/a.woff2") }',
  });
  expect(checkSite(broken).faults).toEqual([
    'index.html: /none.html is not there',
    'index.html: page.html#c has no such heading',
    'index.html: loads //cdn.example.com/a.js, which is not of this site',
    'page.html: loads https://example.com/a.png, which is not of this site',
    'page.html: /none.css is not there',
    'style.css: loads https://fonts.example.com/a.woff2, which is not of this site',
  ]);
});
