import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { troubleChanged } from './trouble-changed.ts';

const metadata = { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '1' };
const podWith = (status: object, more: object = {}): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, ...more },
  spec: { containers: [{ name: 'c' }] },
  status,
});
const containing = (container: object) =>
  podWith({
    containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, ...container }],
  });
const STARTED = podWith({ conditions: [{ type: 'PodScheduled', status: 'True' }] });

test.each([
  ['that is created', podWith({ phase: 'Pending' })],
  ['that has a node', STARTED],
  ['whose containers are created', containing({ state: { waiting: { reason: 'ContainerCreating' } } })],
  ['that is ready', containing({ ready: true, state: { running: {} } })],
  ['whose init container has ended', containing({ state: { terminated: { exitCode: 0 } } })],
])('a class is not looked at for a pod %s', (_title, object) => {
  expect(troubleChanged({ type: 'Update', old: STARTED, object })).toBe(false);
  expect(troubleChanged({ type: 'Create', object, initial: false })).toBe(false);
});

test.each([
  ['that no node has room for', podWith({ conditions: [{ type: 'PodScheduled', status: 'False' }] })],
  ['whose image is not there', containing({ state: { waiting: { reason: 'ErrImagePull' } } })],
  ['whose container has ended', containing({ state: { terminated: { exitCode: 1 } } })],
  ['that has restarted', containing({ ready: true, restartCount: 1 })],
  ['that ends', podWith({}, { deletionTimestamp: '2024-01-01T00:00:00Z' })],
])('it is for a pod %s, and when that is over', (_title, object) => {
  expect(troubleChanged({ type: 'Update', old: STARTED, object })).toBe(true);
  expect(troubleChanged({ type: 'Update', old: object, object: STARTED })).toBe(true);
  expect(troubleChanged({ type: 'Delete', object: STARTED })).toBe(true);
});
