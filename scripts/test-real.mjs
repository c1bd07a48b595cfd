// npm run test:real: the contract suites against a real kube-apiserver, beside the embedded one. With KUBEWRIGHT_REAL=only
// without what `npm test` plays.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finish, run, runSuites } from './run-suites.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function prepare() {
  const installed = existsSync(join(ROOT, 'node_modules/vitest'));
  if (!installed && !(await run('npm', ['ci', '--no-audit', '--no-fund'])).ok) return false;
  return (await run(process.execPath, ['tools/assets/assets.mjs'])).ok;
}

const real = process.env.KUBEWRIGHT_REAL === 'only' ? 'only' : 'required';
const filters = process.argv.slice(2);
if (await prepare()) {
  const suites = filters.length > 0 ? filters : ['test/contracts/'];
  finish(true, await runSuites('real', suites, { KUBEWRIGHT_REAL: real }));
} else {
  finish(false, { ok: false, report: undefined });
}
