// npm test: everything that a fresh clone with Node and npm can check. Prints what was skipped and why.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, readReport, skippedSuites } from './report.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REPORT = join(ROOT, 'node_modules/.cache/kubewright/test-report.json');
const NPX = process.platform === 'win32' ? 'npx.cmd' : 'npx';
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

function run(command, args, stdio) {
  const options = {
    cwd: ROOT,
    stdio,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    shell: process.platform === 'win32',
  };
  return spawnSync(command, args, options);
}

/** Runs a step; its output is shown only when it fails. */
function step(title, command, args) {
  process.stdout.write(`${title} … `);
  const began = performance.now();
  const result = run(command, args, ['ignore', 'pipe', 'pipe']);
  const ok = result.status === 0;
  console.log(`${ok ? 'ok' : 'FAILED'} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  if (!ok) console.log([result.stdout, result.stderr, result.error?.message].filter(Boolean).join('\n'));
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

function checks() {
  if (!installed() && !step('install', NPM, ['ci', '--no-audit', '--no-fund'])) return false;
  mkdirSync(join(REPORT, '..'), { recursive: true });
  const results = [
    step('build', NPM, ['run', '--silent', 'build']),
    step('typecheck', NPX, ['tsc', '-p', 'tsconfig.tests.json']),
    step('lint', NPM, ['run', '--silent', 'lint']),
  ];
  return results.every(Boolean);
}

const began = Date.now();
const sound = checks();
const args = [
  'vitest',
  'run',
  '--reporter=dot',
  '--reporter=json',
  `--outputFile.json=${REPORT}`,
  ...process.argv.slice(2),
];
const ran =
  existsSync(join(ROOT, 'node_modules/vitest')) &&
  run(NPX, args, ['ignore', 'inherit', 'inherit']).status === 0;
if (existsSync(REPORT) && statSync(REPORT).mtimeMs >= began) {
  const report = readReport(REPORT);
  for (const line of skippedSuites(report)) console.log(line);
  const broken = sound && ran ? 0 : Number(!sound) + Number(!ran && report.failed === 0);
  console.log(closingLine({ ...report, failed: report.failed + broken }));
} else {
  console.log('0 passed, 1 failed');
}
process.exitCode = sound && ran ? 0 : 1;
