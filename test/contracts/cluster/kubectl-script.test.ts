import { readFileSync, writeFileSync } from 'node:fs';
import type { ControllerName } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { type CommandResult, comparable, runSession } from '../../support/kubectl-session.ts';

const CONTROLLERS: readonly ControllerName[] = [
  'daemonset-controller',
  'deployment-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'statefulset-controller',
  'taint-eviction-controller',
];
const GOLDEN = new URL('../../../goldens/cluster/golden.json', import.meta.url);
const STEPS = readFileSync(new URL('../../../goldens/cluster/steps.txt', import.meta.url), 'utf8');

/** Names that controllers draw, which hash another text here than there. */
function withoutDrawnNames(result: CommandResult): CommandResult {
  const out = result.out
    .replaceAll(/\b(web|greeting|broken)-[a-z0-9]{5,10}(?:-[a-z0-9]{5})?\b/g, '$1-<drawn>')
    .replaceAll(/\bpvc-<uid>/g, 'pvc-<drawn>');
  return { ...result, out };
}

/** A day with kubectl on a whole cluster, as it was recorded on kube-apiserver with kube-controller-manager. */
function kubectlScript(_transport: () => Transport, _nodes: unknown, kubeconfigPath: () => string): void {
  test('kubectl gets the recorded answers', { timeout: 300_000 }, async () => {
    const session = await runSession(findKubectl() ?? 'kubectl', kubeconfigPath(), STEPS);
    const results = session.map(comparable).map(withoutDrawnNames);
    if (process.env['KUBEWRIGHT_RECORD'] === 'cluster')
      writeFileSync(GOLDEN, `${JSON.stringify(results, undefined, 1)}\n`);
    expect(results).toEqual(JSON.parse(readFileSync(GOLDEN, 'utf8')));
  });
}

const needs = findKubectl() === undefined ? ' [needs kubectl]' : '';
if (needs === '')
  describeClusters(
    'a day with kubectl',
    { controllers: CONTROLLERS, nodes: 2, storage: true, kubectl: true },
    kubectlScript,
  );
else test.skip(`a day with kubectl${needs}`, () => undefined);
