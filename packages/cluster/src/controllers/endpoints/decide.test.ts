import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide, type Observed } from './decide.ts';
import { repack } from './repack.ts';

const SERVICE: Stored<corev1.Service> = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: 'web', uid: 's', resourceVersion: '1' },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.0.0.9',
    ipFamilies: ['IPv4'],
    ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
  },
};

const pod = (id: number, ready = true): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: `web-${id}`, uid: `p${id}`, resourceVersion: '1' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  status: {
    podIP: `10.1.${id >> 8}.${id & 255}`,
    podIPs: [{ ip: `10.1.${id >> 8}.${id & 255}` }],
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
  },
});
const some = (count: number, ready: boolean, from = 0): readonly Stored<corev1.Pod>[] =>
  Array.from({ length: count }, (_, index) => pod(from + index, ready));

const decided = (
  pods: readonly Stored<corev1.Pod>[],
  current?: Observed['current'],
): corev1.Endpoints | undefined => decide({ service: SERVICE, pods, current, triggerTime: undefined });

test('the same addresses in another order, or seen at other versions, are not written again', () => {
  const written = decided(some(3, true));
  const reversed = written?.subsets?.map(({ addresses = [], ...rest }) => ({
    ...rest,
    addresses: addresses
      .map((address) => ({ ...address, targetRef: { ...address.targetRef, resourceVersion: '7' } }))
      .reverse(),
  }));
  expect(written).toBeDefined();
  if (written !== undefined)
    expect(decided(some(3, true), { ...written, subsets: reversed ?? [] })).toBeUndefined();
});

const sizes = (endpoints: corev1.Endpoints | undefined): readonly (readonly [number, number])[] =>
  (endpoints?.subsets ?? []).map(({ addresses = [], notReadyAddresses = [] }) => [
    addresses.length,
    notReadyAddresses.length,
  ]);

test('of more than 1000 addresses the ready ones stay, the annotation says so, and nothing is written again', () => {
  const pods = [...some(990, true), ...some(20, false, 2000)];
  const written = decided(pods);
  expect(written?.metadata.annotations).toEqual({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
  expect(sizes(written)).toEqual([[990, 10]]);
  expect(decided(pods, written)).toBeUndefined();
  const fewer = decided(some(990, true), written);
  expect(fewer?.metadata.annotations).toEqual({});
  expect(sizes(decided(some(1001, true)))).toEqual([[1000, 0]]);
});

test('an address that is ready and not ready at a port is not ready', () => {
  const address = { ip: '10.1.0.1' };
  const ports = [{ port: 80 }];
  expect(
    repack([
      { addresses: [address], ports },
      { notReadyAddresses: [address], ports },
    ]),
  ).toEqual([{ notReadyAddresses: [address], ports }]);
  const two = [{ port: 80 }, { port: 81 }];
  expect(
    repack([
      { addresses: [address], ports },
      { addresses: [address], ports: [{ port: 81 }] },
    ]),
  ).toEqual([{ addresses: [address], ports: two }]);
});
