// npm test: everything that a fresh clone with Node and npm can check. Prints what was skipped and why, and with --profile
// where the time went.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileLines } from './profile.mjs';
import { finish, run, runSuites } from './run-suites.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NPX = process.platform === 'win32' ? 'npx.cmd' : 'npx';
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const steps = [];

/** Runs a step; its output is shown only when it fails. */
async function step(title, command, args) {
  const began = performance.now();
  const { ok, output } = await run(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ms = performance.now() - began;
  steps.push({ title, ms });
  const clear = process.stdout.isTTY ? '\r\x1b[K' : '';
  console.log(`${clear}${title}: ${ok ? 'ok' : 'FAILED'} (${(ms / 1000).toFixed(1)} s)`);
  if (!ok) console.log(output);
  return ok;
}

/** True when what is installed is what the lockfile says, links to our own packages included. */
function installed() {
  const marker = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(marker)) return false;
  const ours = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const theirs = JSON.parse(readFileSync(marker, 'utf8')).packages;
  const current = Object.entries(theirs).every(([path, entry]) => ours[path]?.version === entry.version);
  const wanted = Object.keys(ours).filter((path) => path.startsWith('node_modules/') && !ours[path].optional);
  return (
    current &&
    wanted.every((path) => (ours[path].link ? existsSync(join(ROOT, path)) : Object.hasOwn(theirs, path)))
  );
}

/** What needs no build, and which the suites do not need: it runs beside them. */
async function checks() {
  const typed = await step('typecheck', NPX, ['tsc', '-p', 'tsconfig.tests.json', '--checkers', '2']);
  const linted = await step('lint', NPM, ['run', '--silent', 'lint:quick']);
  return typed && linted;
}

async function suites(args, profile) {
  const began = performance.now();
  const result = await runSuites('test', args, profile ? { KUBEWRIGHT_PROFILE: 'true' } : {});
  steps.push({ title: 'suites', ms: performance.now() - began });
  return result;
}

async function main() {
  const args = process.argv.slice(2).filter((arg) => arg !== '--profile');
  const profile = args.length < process.argv.length - 2;
  const ready = installed() || (await step('install', NPM, ['ci', '--no-audit', '--no-fund']));
  if (!ready) return finish(false, { ok: false, report: undefined });
  const built = await step('build', NPM, ['run', '--silent', 'build']);
  const [checked, result] = await Promise.all([checks(), suites(args, profile)]);
  const lines = profile && result.report !== undefined ? profileLines(steps, result.report) : [];
  for (const line of lines) console.log(line);
  return finish(built && checked, result);
}

await main();
