// npm run docs: builds the site of the documentation in tools/site/dist/html, and checks each of its links.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSite } from './check-site.ts';
import { stageApi } from './stage-api.ts';
import { stagePages } from './stage-pages.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = join(HERE, 'dist/pages');
const HTML = join(HERE, 'dist/html');

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, [...args], { cwd: HERE, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new RangeError(`${command} ${args.join(' ')} failed`);
}

/** Its tools are not those of the repository, whose installation need not wait for them. */
function installTools(): void {
  const read = (path: string): string =>
    existsSync(join(HERE, path)) ? readFileSync(join(HERE, path), 'utf8') : '';
  const lock = read('package-lock.json');
  if (read('node_modules/.installed') === lock) return;
  run('npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts');
  writeFileSync(join(HERE, 'node_modules/.installed'), lock);
}

function build(): void {
  installTools();
  rmSync(join(HERE, 'dist'), { recursive: true, force: true });
  stagePages(ROOT, PAGES);
  run('npm', 'run', '--silent', 'api');
  stageApi(join(PAGES, 'api'));
  run('npm', 'run', '--silent', 'build');
}

build();
const { pages, links, faults } = checkSite(HTML);
for (const fault of faults) console.error(fault);
console.log(`docs: ${pages} pages in ${HTML}, ${links} links, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
