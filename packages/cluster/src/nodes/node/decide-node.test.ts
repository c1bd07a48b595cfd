import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideNode, type ObservedNode } from './decide-node.ts';
import { type NodeFacts, nodeObject } from './node-object.ts';

const NOW = Date.UTC(2026, 0, 1);
const facts: NodeFacts = {
  name: 'a',
  address: '172.18.0.2',
  podCIDR: '10.128.0.0/20',
  runtime: 'simulated://1.0.0',
};
const made = nodeObject(facts, NOW);
const live: Stored<corev1.Node> = {
  ...made,
  metadata: { ...made.metadata, name: 'a', uid: 'u', resourceVersion: '1' },
};
const unreachable: Stored<corev1.Node> = {
  ...live,
  status: {
    ...live.status,
    conditions: (live.status?.conditions ?? []).map((one) => ({
      ...one,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
    })),
  },
};
const times = { renewMs: 10_000, statusMs: 300_000 };
const node = (more: Partial<ObservedNode> = {}): ObservedNode => ({
  facts,
  live,
  registered: true,
  sinceRenewal: 0,
  times,
  ...more,
});
const summary = (observed: ObservedNode, now = NOW): readonly string[] => {
  const { register, renew, status } = decideNode(observed, now);
  return [register ? 'register' : [], renew ? 'renew' : [], status === undefined ? [] : 'status'].flat();
};

test.each<[string, ObservedNode, number, readonly string[]]>([
  ['is registered', node({ live: undefined, registered: false }), NOW, ['register']],
  ['stays away when it was deleted', node({ live: undefined }), NOW, []],
  ['takes out a Lease', node({ sinceRenewal: undefined }), NOW, ['renew']],
  ['is at rest', node({ sinceRenewal: 9_999 }), NOW + 9_999, []],
  ['renews its Lease', node({ sinceRenewal: 10_000 }), NOW + 10_000, ['renew']],
  ['renews it though its clock was put back', node({ sinceRenewal: 10_000 }), NOW - 60_000, ['renew']],
  ['says from time to time how it is', node({ sinceRenewal: 1 }), NOW + 300_000, ['status']],
  ['says at once that it is ready', node({ live: unreachable }), NOW, ['status']],
  ['says at once what it has', node({ facts: { ...facts, capacity: { cpu: '2' } } }), NOW, ['status']],
])('a node %s', (_title, observed, now, expected) => {
  expect(summary(observed, now)).toEqual(expected);
});

test('it comes again for the next renewal', () => {
  expect(decideNode(node({ sinceRenewal: 4_000 }), NOW + 4_000).requeueAfter).toBe(6_000);
});

test('since when it is ready is kept', () => {
  const { status } = decideNode(node(), NOW + 300_000);
  expect(status?.conditions?.at(-1)).toMatchObject({
    lastTransitionTime: '2026-01-01T00:00:00Z',
    lastHeartbeatTime: '2026-01-01T00:05:00Z',
  });
});
