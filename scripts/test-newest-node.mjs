// npm run test:newest: what users meet first, on the newest Node.js. Where that is not to be had it says so, and succeeds.
import { delimiter, dirname } from 'node:path';
import { findNode, NEWEST, nodePackage } from '../tools/nodejs/releases.mjs';
import { finish, prepare, runSuites } from './run-suites.mjs';

/** `npm start`, and what depends most on Node.js: HTTP/2, streams, timers, signals. */
const SUITES = [
  'packages/client',
  'packages/runtime',
  'test/contracts/webhooks.test.ts',
  'test/contracts/read-your-writes.test.ts',
  'test/start.test.ts',
];

async function runOn(node) {
  if (!(await prepare())) return { ok: false, report: undefined };
  const args = process.argv.slice(2);
  const env = { KUBEWRIGHT_REAL: 'off', PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  return runSuites('newest', args.length > 0 ? args : SUITES, env, { node });
}

const { path, problem } = await findNode(NEWEST);
if (path === undefined) {
  console.log(`npm run test:newest is skipped: it needs ${nodePackage(NEWEST)} from npm (${problem})`);
  console.log('0 passed, 0 failed, 1 skipped');
} else {
  finish(true, await runOn(path));
}
