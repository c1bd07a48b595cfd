// Makes manifests/: runs the tests with all rights, notes what the operator requests, and gives it the rights for that.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const requests = mkdtempSync(join(tmpdir(), 'requests-'));
function run(program, args) {
  const env = { ...process.env, RECORD_REQUESTS: requests };
  const { status } = spawnSync(process.execPath, [join('node_modules', program), ...args], {
    stdio: 'inherit',
    env,
  });
  if (status !== 0) process.exit(status ?? 1);
}

process.on('exit', () => rmSync(requests, { recursive: true, force: true }));
run('vitest/vitest.mjs', ['run']);
run('kubewright/bin/kubewright.mjs', [
  'generate',
  'manifests',
  '--requests',
  requests,
  ...process.argv.slice(2),
]);
