import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide, type EvictionDecision } from './decide.ts';

const NOW = 100_000;
const taint = (effect: corev1.Taint['effect'], key = 'broken'): corev1.Taint => ({ key, effect });
const tolerates = (tolerationSeconds?: number, key = 'broken'): corev1.Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...defined({ tolerationSeconds }),
});
const OUT = taint('NoExecute');
const STAY: EvictionDecision = { type: 'stay' };
const EVICT: EvictionDecision = { type: 'evict' };

test.each<
  [string, readonly corev1.Taint[], readonly corev1.Toleration[], number | undefined, EvictionDecision]
>([
  ['no taint', [], [], undefined, STAY],
  ['a taint that only keeps away', [taint('NoSchedule')], [], undefined, STAY],
  ['a taint that drives out', [OUT], [], undefined, EVICT],
  ['one that is tolerated for ever', [OUT], [tolerates()], undefined, STAY],
  ['one of two that is not tolerated', [OUT, taint('NoExecute', 'full')], [tolerates()], undefined, EVICT],
  ['one that is tolerated for a while', [OUT], [tolerates(5)], undefined, { type: 'wait', until: 105_000 }],
  [
    'the shortest of several times',
    [OUT, taint('NoExecute', 'full')],
    [tolerates(9), tolerates(5, 'full')],
    undefined,
    { type: 'wait', until: 105_000 },
  ],
  ['a time that was given before', [OUT], [tolerates(5)], 101_000, { type: 'wait', until: 101_000 }],
  ['a time that is over', [OUT], [tolerates(5)], 100_000, EVICT],
  ['no time at all', [OUT], [tolerates(0)], undefined, EVICT],
])('%s', (_title, taints, tolerations, until, expected) => {
  const pod: Stored<corev1.Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name: 'p', uid: 'u', resourceVersion: '1' },
    spec: { containers: [], tolerations },
  };
  expect(decide(pod, taints, { until, now: NOW })).toEqual(expected);
});
