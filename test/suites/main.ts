import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findSuite, SUITES, type SuitePackage } from '../../tools/assets/find-suites.mjs';
import { findServers } from '../../tools/assets/find.mjs';
import { readOptions } from '../../tools/read-options.ts';
import { KUBEWRIGHT } from '../support/kubewright-command.ts';
import { formatRows, missedOf, type Row } from './format-rows.ts';
import { runPackage } from './run-package.ts';

const USAGE = `npm run test:suites [-- NAME[/PACKAGE] …] [--focus REGEXP] [--log FOLDER]: runs other people's envtest suites
  --focus  only the specs whose titles match
  --log    a folder for what they print, and their reports
Each is run twice: on a real kube-apiserver with etcd, and on what kubewright envtest gives. Prints the specs that passed on
either, the time, and the most memory of the control plane; fails where one passed on the real one alone. Needs npm run assets
and npm run assets:suites. Names:
${Object.entries(SUITES)
  .map(([name, { module, version }]) => `  ${name}: ${module} ${version}`)
  .join('\n')}`;

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { focus: { type: 'string' }, log: { type: 'string' } },
});
const unknown = positionals.filter((name) => SUITES[name.split('/', 1)[0] ?? ''] === undefined);
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}\n\n${USAGE}`);
  process.exit(2);
}
const assets = findServers();
if (assets === undefined) {
  console.error('there is no kube-apiserver: run npm run assets');
  process.exit(2);
}

function wanted(title: string, name: string): boolean {
  return positionals.length === 0 || positionals.some((one) => one === name || one === title);
}

/** First on the real one, then on ours. */
async function playPackage(title: string, one: SuitePackage, folders: readonly string[]): Promise<Row> {
  const [real = '', ours = '', output = ''] = folders;
  const { focus } = values;
  const path = (side: string): string => join(output, `${title.replaceAll('/', '-')}-${side}`);
  const row = {
    title,
    real: await runPackage(one, { assets: real, output: path('real'), focus }),
    ours: await runPackage(one, { assets: ours, output: path('ours'), focus }),
  };
  for (const spec of missedOf(row))
    console.log(`  FAILED: ${spec}\n    ${row.ours.failures.get(spec) ?? 'did not run'}`);
  const [before] = row.ours.passed.size === 0 ? row.ours.failures : [];
  if (before !== undefined) console.log(`  ${before.join(' ')}`);
  for (const [spec, why] of row.real.failures)
    console.log(`  failed on the real one${row.ours.passed.has(spec) ? ' alone' : ''}: ${spec}\n    ${why}`);
  return row;
}

const temporary = mkdtempSync(join(tmpdir(), 'kubewright-suites-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
const output = resolve(values.log ?? temporary);
mkdirSync(output, { recursive: true });
const launchers = join(temporary, 'assets');
execFileSync(process.execPath, [...KUBEWRIGHT, 'envtest', '--directory', launchers]);
const rows: Row[] = [];
let skipped = 0;
for (const name of Object.keys(SUITES)) {
  const packages = findSuite(name);
  const isNamed = positionals.some((one) => one.split('/', 1)[0] === name);
  if (packages === undefined && (isNamed || positionals.length === 0)) {
    skipped += 1;
    console.log(`${name}: not built, npm run assets:suites -- ${name} builds it`);
  }
  for (const one of packages ?? []) {
    const title = `${name}/${one.name}`;
    if (!wanted(title, name)) continue;
    console.log(`${title}:`);
    rows.push(await playPackage(title, one, [assets, launchers, output]));
  }
}
const passed = rows.reduce((sum, { real }) => sum + real.passed.size, 0);
// A suite of which nothing runs shows nothing.
const empty = rows.filter(({ real }) => real.passed.size === 0);
for (const { title } of empty) console.log(`${title}: no spec passed on the real one`);
const failed = rows.reduce((sum, row) => sum + missedOf(row).length, empty.length);
console.log(`\n${formatRows(rows)}`);
console.log(`${passed - failed + empty.length} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
