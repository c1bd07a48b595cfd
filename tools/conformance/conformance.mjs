// npm run conformance: Kubernetes' own conformance tests against the embedded cluster.
import { AssertionError } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheDirectory, onPath } from '../assets/find.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));
const HELP = `npm run conformance [-- --kubeconfig FILE] [--focus REGEX]

Runs the conformance tests of Kubernetes that ask an API server and its controllers, not programs in containers.

  --kubeconfig FILE   another cluster; default: one that is started for it, of three nodes
  --focus REGEX       other tests than those of tools/conformance/specs.txt`;

/** Built once, with Go, from the modules that are pinned here. Undefined when that did not work. */
function binary() {
  const path = join(cacheDirectory(), 'conformance.test');
  if (existsSync(path)) return path;
  const go = onPath('go');
  if (go === undefined) {
    console.error('Go is not installed, with which the tests are built: https://go.dev/dl');
    return undefined;
  }
  console.log(`building ${path}: some minutes, once`);
  mkdirSync(cacheDirectory(), { recursive: true });
  const partial = `${path}.${process.pid}`;
  const args = ['test', '-c', '-mod=readonly', '-trimpath', '-ldflags', '-s -w', '-o', partial, '.'];
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' };
  const { status } = spawnSync(go, args, { cwd: HERE, env, stdio: 'inherit' });
  if (status === 0) renameSync(partial, path);
  return status === 0 ? path : undefined;
}

/** A cluster of its own; resolves when it serves. */
async function startCluster(kubeconfig) {
  const args = [COMMAND, 'cluster', '--port', '0', '--nodes', '3', '--kubeconfig-out', kubeconfig];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (/^ready$/m.test(text)) resolve();
    });
    child.once('exit', () =>
      reject(new AssertionError({ message: 'the cluster did not start: run npm run build first' })),
    );
  });
  return child;
}

const escaped = (title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function listed() {
  const titles = readFileSync(join(HERE, 'specs.txt'), 'utf8').split('\n');
  return titles
    .filter((title) => title !== '')
    .map(escaped)
    .join('|');
}

function run(test, kubeconfig, focus, report) {
  const args = [
    '--provider=skeleton',
    `--kubeconfig=${kubeconfig}`,
    '--dump-logs-on-failure=false',
    `--ginkgo.focus=${focus}`,
    '--ginkgo.silence-skips',
    `--ginkgo.json-report=${report}`,
  ];
  const child = spawn(test, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
}

function summarize(report) {
  const [{ SpecReports: specs }] = JSON.parse(readFileSync(report, 'utf8'));
  const ran = specs.filter(({ LeafNodeType: type, State: state }) => type === 'It' && state !== 'skipped');
  const failed = ran.filter(({ State: state }) => state !== 'passed');
  for (const { ContainerHierarchyTexts: parents, LeafNodeText: text } of failed)
    console.log(`failed: ${[...parents, text].join(' ')}`);
  console.log(`${ran.length - failed.length} passed, ${failed.length} failed`);
  return ran.length > 0 && failed.length === 0;
}

async function main({ kubeconfig, focus = listed() }) {
  const test = binary();
  if (test === undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-conformance-'));
  const own = join(folder, 'kubeconfig');
  let cluster;
  try {
    if (kubeconfig === undefined) cluster = await startCluster(own);
    const report = join(folder, 'report.json');
    await run(test, kubeconfig ?? own, focus, report);
    return existsSync(report) && summarize(report);
  } catch (error) {
    console.error(error.message);
    return false;
  } finally {
    cluster?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    focus: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) console.log(HELP);
else process.exitCode = (await main(values)) ? 0 : 1;
