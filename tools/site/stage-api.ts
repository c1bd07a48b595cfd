import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { staged } from './stage-pages.ts';

/** Makes pages of the site of what TypeDoc has written: with its anchors as attributes of headings, and the names of packages. */
export function stageApi(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue;
    const path = join(folder, name);
    const text = stageApiPage(readFileSync(path, 'utf8'));
    rmSync(path);
    writeFileSync(join(folder, staged(name)), text);
  }
}

/** All headings have an anchor, because TypeDoc counts names otherwise than the site does. */
function stageApiPage(text: string): string {
  let sections = 0;
  return text
    .replaceAll(/<a id="([^"]*)"><\/a>\n\n(#+ .*)$/gm, '$2 {#$1}')
    .replaceAll(/^##+ .*[^}\n]$/gm, (heading) => `${heading} {#section-${++sections}}`)
    .replaceAll(/(\]\([^)\s]*?)README\.md/g, '$1index.md')
    .replaceAll(/^(# |- \[)(\w+)\/src\b/gm, '$1@kubewright/$2')
    .replace(/^# kubewright-repository$/m, '# API');
}
