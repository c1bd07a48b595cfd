import { readFileSync, writeFileSync } from 'node:fs';
import { CONTROLLER_NAMES } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { type CommandResult, comparable, runSession } from '../../support/kubectl-session.ts';

/** What a result is compared as: without what controllers draw, and what is another each time. */
type Compared = (result: CommandResult) => unknown;

/**
 * Runs `goldens/SESSION/steps.txt` with kubectl on a whole cluster of each kind, and compares every answer with the one
 * recorded from kube-apiserver with kube-controller-manager. `KUBEWRIGHT_RECORD=SESSION` records.
 */
export function replayOnClusters(title: string, session: string, compared: Compared): void {
  const kubectl = findKubectl();
  if (kubectl === undefined) {
    test.skip(`${title} [needs kubectl]`, () => undefined);
    return;
  }
  const parts = { controllers: CONTROLLER_NAMES, nodes: 2, storage: true, kubectl: true };
  describeClusters(title, parts, (_transport, _nodes, kubeconfigPath) => {
    test('kubectl gets the recorded answers', { timeout: 300_000 }, async () => {
      const golden = new URL(`../../../goldens/${session}/golden.json`, import.meta.url);
      const steps = readFileSync(new URL('steps.txt', golden), 'utf8');
      const results = await runSession(kubectl, kubeconfigPath(), steps);
      const answers = results.map(comparable).map(compared);
      if (process.env['KUBEWRIGHT_RECORD'] === session)
        writeFileSync(golden, `${JSON.stringify(answers, undefined, 1)}\n`);
      expect(answers).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
    });
  });
}
