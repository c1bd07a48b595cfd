import { beforeAll, describe, expect, test } from 'vitest';
import { findKubectl } from '../tools/assets/find.mjs';
import { describeEmbedded } from './servers/describe-servers.ts';
import type { TestServer } from './servers/test-server.ts';
import {
  type CommandResult,
  comparable,
  readRecording,
  recordedSessions,
  runSession,
} from './support/kubectl-session.ts';
import { isLong } from './support/seeds.ts';

const kubectl = findKubectl();

/** A process for each command takes its time: this one is replayed by `npm test`, all by `npm run test:long`. */
const QUICK = 'kubectl';

/** Runs a recorded session on a server of its own and compares every answer with the recorded one. */
function replay(session: string, server: () => TestServer): void {
  const { steps, golden } = readRecording(session);
  let results: readonly CommandResult[] = [];
  beforeAll(async () => {
    results = (await runSession(kubectl ?? '', server().kubeconfigPath, steps)).map(comparable);
  });
  test('has a recorded answer for every command', () => {
    expect(results.map((result) => result.cmd)).toEqual(golden.map((recorded) => recorded.cmd));
  });
  for (const [index, recorded] of golden.entries()) {
    test(`${index + 1}: kubectl ${recorded.cmd.slice(0, 100)}`, () => {
      expect(results[index]).toEqual(comparable(recorded));
    });
  }
}

for (const session of recordedSessions().filter((name) => isLong || name === QUICK)) {
  const title = `the recorded session ${session}`;
  if (kubectl === undefined) {
    const needs = "[needs kubectl: Debian's kubernetes-client, or npm run assets]";
    describe.skip(`${title} on the embedded server ${needs}`, () =>
      replay(session, () => ({}) as TestServer));
  } else {
    describeEmbedded(title, (server) => replay(session, server));
  }
}
