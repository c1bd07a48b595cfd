import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideAttachments } from './decide-attachments.ts';
import type { Attachment, ObservedNode, WantedVolume } from './observe-node.ts';

const UNIQUE = 'kubernetes.io/csi/disk^h';
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };

const nodeOf = (
  status: corev1.NodeStatus = {},
  spec: corev1.NodeSpec = {},
  annotations = MANAGED,
): Stored<corev1.Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', uid: 'a', resourceVersion: '1', annotations },
  spec,
  status,
});
const attachmentOf = (attached: boolean, deletionTimestamp?: string): Stored<Attachment> => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: {
    name: 'csi-1',
    uid: 'v',
    resourceVersion: '1',
    ...defined({ deletionTimestamp }),
  },
  spec: { attacher: 'disk', nodeName: 'a', source: { persistentVolumeName: 'pv' } },
  status: { attached },
});
const wanted = (more: Partial<WantedVolume> = {}): WantedVolume => ({
  name: 'csi-1',
  volume: 'pv',
  driver: 'disk',
  handle: 'h',
  isExclusive: true,
  pods: [],
  elsewhere: [],
  rivals: [],
  ...more,
});
const attachedHere: corev1.NodeStatus = { volumesAttached: [{ name: UNIQUE, devicePath: '' }] };
const inUse: corev1.NodeStatus = { ...attachedHere, volumesInUse: [UNIQUE] };
const dead: corev1.NodeSpec = { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] };

type Row = readonly [string, Partial<ObservedNode>, readonly string[], readonly string[] | undefined];

test.each<Row>([
  ['nothing', {}, [], undefined],
  ['a volume that pods need', { wanted: [wanted()] }, ['create'], undefined],
  ['one that is on its way', { wanted: [wanted()], attachments: [attachmentOf(false)] }, [], undefined],
  ['one that has come', { wanted: [wanted()], attachments: [attachmentOf(true)] }, [], [UNIQUE]],
  [
    'one that the node knows',
    { wanted: [wanted()], attachments: [attachmentOf(true)], node: nodeOf(attachedHere) },
    [],
    undefined,
  ],
  ['one that is elsewhere', { wanted: [wanted({ elsewhere: [attachmentOf(true)] })] }, [], undefined],
  [
    'one that many may have, elsewhere',
    { wanted: [wanted({ isExclusive: false, elsewhere: [attachmentOf(true)] })] },
    ['create'],
    undefined,
  ],
  [
    'one that nobody needs',
    { attachments: [attachmentOf(true)], node: nodeOf(attachedHere) },
    ['delete'],
    [],
  ],
  ['one that is mounted still', { attachments: [attachmentOf(true)], node: nodeOf(inUse) }, [], undefined],
  [
    'one that is mounted on a dead node',
    { attachments: [attachmentOf(true)], node: nodeOf(inUse, dead) },
    ['delete'],
    [],
  ],
  [
    'one that is going',
    { attachments: [attachmentOf(true, '2026-01-01T00:00:00Z')], node: nodeOf(attachedHere) },
    [],
    [],
  ],
  [
    'a node that attaches by itself',
    { wanted: [wanted()], node: { ...nodeOf(), metadata: { name: 'a', uid: 'a', resourceVersion: '1' } } },
    [],
    undefined,
  ],
])('%s', (_title, observed, actions, attached) => {
  const decision = decideAttachments({
    nodeName: 'a',
    node: nodeOf(),
    wanted: [],
    attachments: [],
    uniqueNames: new Map([['csi-1', UNIQUE]]),
    ...observed,
  });
  expect([decision.actions.map(({ type }) => type), decision.attached]).toEqual([actions, attached]);
});
