// npm run test:real: the contract suites against a real kube-apiserver, beside the embedded one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, readReport, skippedSuites } from './report.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REPORT = join(ROOT, 'node_modules/.cache/kubewright/real-report.json');
const windows = process.platform === 'win32';

function run(command, args, env = {}) {
  const options = {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: windows,
  };
  return spawnSync(command, args, options).status === 0;
}

function main() {
  if (!existsSync(join(ROOT, 'node_modules/vitest')) && !run('npm', ['ci', '--no-audit', '--no-fund']))
    return false;
  if (!run(process.execPath, ['tools/assets/assets.mjs'])) return false;
  mkdirSync(dirname(REPORT), { recursive: true });
  rmSync(REPORT, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const filters = process.argv.slice(2);
  const suites = filters.length > 0 ? filters : ['test/contracts/'];
  return run('npx', ['vitest', 'run', ...reporters, ...suites], { KUBEWRIGHT_REAL: 'required' });
}

const passed = main();
if (existsSync(REPORT)) {
  const report = readReport(REPORT);
  for (const line of skippedSuites(report)) console.log(line);
  console.log(closingLine({ ...report, failed: report.failed + Number(!passed && report.failed === 0) }));
} else {
  console.log('0 passed, 1 failed');
}
process.exitCode = passed ? 0 : 1;
