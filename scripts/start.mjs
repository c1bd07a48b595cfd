// `npm start`: installs and builds when needed, then runs `kubewright up` in this very process, so that a signal sent to
// it (or to npm, which passes it on) ends everything. Needs nothing but Node and npm.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  process.stderr.write(`kubewright: needs Node 20 or later, this is ${process.versions.node}\n`);
  process.exit(1);
}

let running;
let stopped = false;
const stop = () => {
  stopped = true;
  running?.kill('SIGTERM');
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

/** Runs a command in the repository; its output goes to stderr, stdout is the product's. */
function run(what, command, args) {
  process.stderr.write(`kubewright: ${what}\n`);
  return new Promise((resolve) => {
    running = spawn(command, args, {
      cwd: root,
      // npm would leave its compiled code among temporary files.
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    running.on('error', () => resolve(false));
    running.on('exit', (code) => resolve(code === 0));
  });
}

function isInstalled() {
  const installed = `${root}node_modules/.package-lock.json`;
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;
}

async function prepare() {
  if (!isInstalled() && !(await run('installing (npm ci)', 'npm', ['ci', '--no-audit', '--no-fund'])))
    return false;
  return !stopped && run('building', 'npm', ['run', '--silent', 'build']);
}

const ready = await prepare();
process.off('SIGTERM', stop);
process.off('SIGINT', stop);
if (stopped) process.exit(0);
if (!ready) {
  process.stderr.write('kubewright: could not install or build; the lines above say why\n');
  process.exit(1);
}
const { main } = await import('../packages/kubewright/dist/bundle/main.js');
await main(process, ['up', ...process.argv.slice(2)]);
