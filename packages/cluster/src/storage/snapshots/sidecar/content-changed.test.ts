import type { Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { VolumeSnapshotContent } from '../api.ts';
import { BEING_CREATED, BEING_DELETED, marked } from '../marks.ts';
import { contentChanged } from './content-changed.ts';

const content: Stored<VolumeSnapshotContent> = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name: 'content', uid: 'c', resourceVersion: '1' },
  spec: { deletionPolicy: 'Delete', driver: 'disk', source: { volumeHandle: 'h' }, volumeSnapshotRef: {} },
};
const stored = (next: VolumeSnapshotContent): Stored<VolumeSnapshotContent> => ({
  ...content,
  ...next,
  metadata: {
    ...content.metadata,
    ...next.metadata,
    resourceVersion: '2',
    managedFields: [{ manager: 'x' }],
  },
});

test.each<[string, VolumeSnapshotContent, boolean]>([
  ['its mark is set', marked(content, BEING_CREATED), false],
  ['it is deleted', { ...content, metadata: { ...content.metadata, deletionTimestamp: 'now' } }, true],
  ['its snapshot is deleted', marked(content, BEING_DELETED), true],
  ['a failure is reported', { ...content, status: { readyToUse: false } }, true],
])('a content is looked at again when %s: %o', (_what, next, expected) => {
  const object = stored(next);
  expect(contentChanged({ type: 'Update', old: content, object })).toBe(expected);
  expect(contentChanged({ type: 'Update', old: object, object: stored(content) })).toBe(expected);
});

test('a content that is new is looked at', () => {
  expect(contentChanged({ type: 'Create', object: content, initial: false })).toBe(true);
});
