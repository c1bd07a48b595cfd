import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { type CollectDecision, decide, type Observed, surplusPods } from './decide.ts';

const NOW = 100_000;
const QUARANTINE = 40_000;
const KEEP: CollectDecision = { type: 'keep' };
const COLLECT: CollectDecision = { type: 'collect', orphan: false };

const podOn = (
  nodeName: string,
  metadata: Partial<Stored<corev1.Pod>['metadata']> = {},
): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name: 'p', uid: 'u', resourceVersion: '1', ...metadata },
  spec: { containers: [], nodeName },
});
const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const dead = (ready: 'True' | 'False'): Stored<corev1.Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', uid: 'a', resourceVersion: '1' },
  spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});

test.each<[string, Partial<Observed>, CollectDecision]>([
  ['a pod on its node', {}, KEEP],
  ['one of too many that are over', { surplus: true }, COLLECT],
  ['one whose node is just gone', { orphanedSince: NOW - 1000 }, { type: 'wait', ms: 39_000 }],
  ['one whose node is gone for long', { orphanedSince: NOW - QUARANTINE }, { type: 'collect', orphan: true }],
  ['one without a node', { pod: podOn('') }, KEEP],
  ['one without a node that is to end', { pod: podOn('', ending) }, COLLECT],
  ['one that is to end on a dead node', { pod: podOn('a', ending), node: dead('False') }, COLLECT],
  [
    'one that is to end on a node that is ready all the same',
    { pod: podOn('a', ending), node: dead('True') },
    KEEP,
  ],
  ['one that stays on a dead node', { node: dead('False') }, KEEP],
])('%s', (_title, observed, expected) => {
  const all = { pod: podOn('a'), node: undefined, orphanedSince: undefined, surplus: false, ...observed };
  expect(decide(all, QUARANTINE, NOW)).toEqual(expected);
});

test('of pods that are over, evicted ones go first, then the oldest', () => {
  const over = (name: string, creationTimestamp: string, reason?: string): Stored<corev1.Pod> => ({
    ...podOn('a', { name, creationTimestamp }),
    status: { phase: 'Failed', ...defined({ reason }) },
  });
  const pods = [
    over('old', '2026-01-01'),
    over('new', '2026-01-03'),
    over('evicted', '2026-01-02', 'Evicted'),
  ];
  expect(surplusPods(pods, 1).map(({ metadata }) => metadata.name)).toEqual(['evicted', 'old']);
  expect(surplusPods(pods, 3)).toEqual([]);
});
