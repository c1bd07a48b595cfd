import { beforeAll, describe, expect, test } from 'vitest';
import { findKubectl } from '../tools/assets/find.mjs';
import { describeEmbedded } from './servers/describe-servers.ts';
import type { TestServer } from './servers/test-server.ts';
import { type CommandResult, readRecording, runSession } from './support/kubectl-session.ts';

const { steps, golden } = readRecording();
const kubectl = findKubectl();

/** `kubectl describe configmap` itself prints the data in the order of a Go map: its lines count, not their order. */
function comparable(result: CommandResult | undefined): CommandResult | undefined {
  if (result === undefined || !result.cmd.startsWith('describe cm ')) return result;
  return { ...result, out: result.out.split('\n').toSorted().join('\n') };
}

function session(server: () => TestServer): void {
  let results: readonly CommandResult[] = [];
  beforeAll(async () => {
    results = await runSession(kubectl ?? '', server().kubeconfigPath, steps);
    const same = golden.filter(
      (recorded, index) =>
        JSON.stringify(comparable(recorded)) === JSON.stringify(comparable(results[index])),
    );
    process.stdout.write(`${same.length} of ${golden.length} kubectl commands get the recorded answer\n`);
  });
  for (const [index, recorded] of golden.entries()) {
    test(`${index + 1}: kubectl ${recorded.cmd.slice(0, 100)}`, () => {
      expect(comparable(results[index])).toEqual(comparable(recorded));
    });
  }
}

if (kubectl === undefined) {
  const needs = "[needs kubectl: Debian's kubernetes-client, or npm run assets]";
  describe.skip(`the recorded kubectl session on the embedded server ${needs}`, () =>
    session(() => ({}) as TestServer));
} else {
  describeEmbedded('the recorded kubectl session', session);
}
