// The site that `npm run docs` builds of `dist/pages`.
import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const PAGES = new URL('../dist/pages/', import.meta.url);
const { version } = JSON.parse(
  readFileSync(new URL('../../../packages/kubewright/package.json', import.meta.url), 'utf8'),
);

/** The anchors that GitHub gives headings: the pages link to these. */
const slugify = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Each section of docs/README.md, with what it links; so a page that is linked there is in the bar. */
function sections() {
  const [, ...parts] = readFileSync(new URL('docs/index.md', PAGES), 'utf8').split(/^## \d+\. /m);
  return parts.map((part) => {
    const [text, ...lines] = part.split('\n');
    const links = [...lines.join('\n').matchAll(/(?<!!)\[([^\]]+)\]\((\.[^)\s]+?)\)/g)];
    const items = links.map(([, title, link]) => ({
      text: title,
      link: new URL(link, 'file:///docs/').pathname,
    }));
    const seen = new Set();
    return { text, collapsed: false, items: items.filter(({ link }) => !seen.has(link) && seen.add(link)) };
  });
}

const packages = readdirSync(new URL('api/', PAGES), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    text: `@kubewright/${name}`,
    link: name === 'kube' ? '/api/kube/src/' : `/api/${name}/src`,
  }));

export default defineConfig({
  title: 'Kubewright',
  description: 'Safe change on Kubernetes',
  srcDir: './dist/pages',
  outDir: './dist/html',
  cacheDir: './dist/cache',
  lastUpdated: false,
  markdown: {
    html: false,
    anchor: { slugify },
    config(md) {
      const { text } = md.renderer.rules;
      // Two braces in a text are no expression of Vue's.
      md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'API', link: '/api/' },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: [...sections(), { text: 'API', collapsed: true, items: packages }],
    outline: [2, 3],
  },
});
