import { amountsIn } from '@kubewright/apiserver';
import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';

type Amounts = Readonly<Record<string, string>>;

test.each<
  [string, Amounts, corev1.ResourceQuotaStatus | undefined, Amounts, corev1.ResourceQuotaStatus | undefined]
>([
  ['a new quota', { pods: '5' }, undefined, { pods: '1' }, { hard: { pods: '5' }, used: { pods: '1' } }],
  ['one that says so', { pods: '5' }, { hard: { pods: '5' }, used: { pods: '1' } }, { pods: '1' }, undefined],
  [
    'the same amount in other words',
    { cpu: '1' },
    { hard: { cpu: '1000m' }, used: { cpu: '500m' } },
    { cpu: '0.5' },
    undefined,
  ],
  [
    'another limit',
    { pods: '6' },
    { hard: { pods: '5' }, used: { pods: '1' } },
    { pods: '1' },
    { hard: { pods: '6' }, used: { pods: '1' } },
  ],
  [
    'what could not be counted',
    { pods: '5', secrets: '2' },
    { hard: { pods: '5', secrets: '2' }, used: { pods: '1', secrets: '2' } },
    { pods: '3' },
    { hard: { pods: '5', secrets: '2' }, used: { pods: '3', secrets: '2' } },
  ],
  [
    'what is limited no more',
    { pods: '5' },
    { hard: { pods: '5', secrets: '2' }, used: { pods: '1', secrets: '2' } },
    { pods: '1' },
    { hard: { pods: '5' }, used: { pods: '1' } },
  ],
])('%s', (_title, hard, status, counted, expected) => {
  const quota: Stored<corev1.ResourceQuota> = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'ns', name: 'q', uid: 'u', resourceVersion: '1' },
    spec: { hard },
    ...defined({ status }),
  };
  expect(decide(quota, amountsIn(counted))).toEqual(expected);
});
