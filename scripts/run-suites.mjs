// Runs vitest for our test commands: shows how it goes, and returns what came of it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, readReport, skippedSuites } from './report.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE = 'packages/kubewright/dist/bundle/main.js';
const CACHE = join(ROOT, 'node_modules/.cache/kubewright');

/**
 * kubectl, the programs of a real control plane, the compiler and the linter are written in Go: with a heap that may grow they take
 * up to a third less processor time.
 */
const GOGC = process.env.GOGC ?? '400';

/** The status of a command that runs in the repository. */
export function run(command, args, { env = {}, stdio = ['ignore', 'inherit', 'inherit'], signal } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio,
      signal,
      killSignal: 'SIGKILL',
      env: { ...process.env, GOGC, ...env },
      shell: process.platform === 'win32',
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(output).toString() }));
  });
}

/**
 * Installs what is missing, and builds; false when either failed. With KUBEWRIGHT_BUILD=off what was built last stays: others may
 * run it.
 */
export async function prepare() {
  const installed = existsSync(join(ROOT, 'node_modules/vitest'));
  if (!installed && !(await run('npm', ['ci', '--no-audit', '--no-fund'])).ok) return false;
  const stays = process.env.KUBEWRIGHT_BUILD === 'off' && existsSync(join(ROOT, BUNDLE));
  return stays || (await run('npm', ['run', '--silent', 'build'])).ok;
}

/**
 * Of the packages the suites get what was built last.
 *
 * @param {string} name of the command, by which its report is kept
 * @param {string[]} args of vitest
 * @param {Record<string, string>} env
 * @param {{ through?: string[], signal?: AbortSignal, node?: string }} how: the command that starts vitest, what ends it, its Node
 * @returns {Promise<{ ok: boolean, report: ReturnType<typeof readReport> | undefined }>}
 */
export async function runSuites(
  name,
  args,
  env = {},
  { through = [], signal, node = process.execPath } = {},
) {
  const path = join(CACHE, `${name}-report.json`);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  const reporter = '--reporter=./scripts/progress-reporter.mjs';
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const [command, ...rest] = [...through, node, vitest, 'run', reporter, ...args];
  const ours = { KUBEWRIGHT_PACKAGES: 'built', KUBEWRIGHT_REPORT: path };
  const { ok } = await run(command, rest, { env: { ...env, ...ours }, signal });
  return { ok, report: existsSync(path) ? readReport(path) : undefined };
}

/** Prints what was skipped and the closing line, and sets the exit code. `checked`: whether all else that the command did succeeded. */
export function finish(checked, { ok, report }) {
  const passed = checked && ok;
  if (report === undefined) {
    console.log('0 passed, 1 failed');
  } else {
    for (const line of skippedSuites(report)) console.log(line);
    const broken = Number(!checked) + Number(!ok && report.failed === 0);
    console.log(closingLine({ ...report, failed: report.failed + broken }));
  }
  process.exitCode = passed && report !== undefined ? 0 : 1;
}
