// npm run record -- SESSION…: records goldens/SESSION/steps.txt from real servers, then replays it on the embedded one.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findKubectl, findServers } from '../../tools/assets/find.mjs';
import { readOptions } from '../../tools/read-options.ts';
import { startEmbeddedServer } from '../servers/embedded.ts';
import { startRealServer } from '../servers/real.ts';
import type { TestServer } from '../servers/test-server.ts';
import {
  type CommandResult,
  comparable,
  readRecording,
  recordedSessions,
  runSession,
  sessionFile,
} from '../support/kubectl-session.ts';
import { showDifferences } from './show-differences.ts';

const kubectl = findKubectl();
const assets = findServers();

/** Runs a session on a fresh server, and stops it. */
async function runOn(start: () => Promise<TestServer>, session: string): Promise<CommandResult[]> {
  const server = await start();
  try {
    const steps = readFileSync(sessionFile(session, 'steps.txt'), 'utf8');
    return (await runSession(kubectl ?? '', server.kubeconfigPath, steps)).map(comparable);
  } finally {
    await server.stop();
  }
}

/** Records a session twice, on two fresh servers: a response that differs is random, and no golden. */
async function record(session: string): Promise<boolean> {
  assert(assets !== undefined, 'there is no etcd and kube-apiserver: npm run assets');
  const golden = await runOn(() => startRealServer(assets), session);
  const again = await runOn(() => startRealServer(assets), session);
  const differing = showDifferences(golden, again);
  if (differing.length > 0) {
    process.stdout.write(
      `${session}: not recorded, the responses of the real server differ at random\n${differing.join('\n')}\n`,
    );
    return false;
  }
  writeFileSync(sessionFile(session, 'golden.json'), `${JSON.stringify(golden, undefined, 1)}\n`);
  process.stdout.write(`${session}: ${golden.length} commands recorded\n`);
  return true;
}

async function compare(session: string): Promise<boolean> {
  const golden = readRecording(session).golden.map(comparable);
  const differing = showDifferences(golden, await runOn(() => startEmbeddedServer(), session));
  for (const difference of differing) process.stdout.write(`${difference}\n`);
  process.stdout.write(
    `${session}: ${golden.length - differing.length} of ${golden.length} kubectl commands get the recorded answer\n`,
  );
  return differing.length === 0;
}

const USAGE = `npm run record -- SESSION…: runs the kubectl commands of goldens/SESSION/steps.txt on real servers, records their output,
and compares the embedded server's with it
  --compare    records nothing; without a SESSION it compares all`;

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { compare: { type: 'boolean', default: false } },
});
assert(kubectl !== undefined, "there is no kubectl: Debian's kubernetes-client, or npm run assets");
const sessions = values.compare && positionals.length === 0 ? recordedSessions() : positionals;
if (sessions.length === 0 || sessions.some((session) => !existsSync(sessionFile(session, 'steps.txt')))) {
  process.stderr.write(`A SESSION is a folder of goldens/ with steps.txt\n\n${USAGE}\n`);
  process.exit(2);
}
for (const session of sessions) {
  const recorded = values.compare || (await record(session));
  if (!recorded || !(await compare(session))) process.exitCode = 1;
}
