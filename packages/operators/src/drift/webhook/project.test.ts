import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { project } from './project.ts';

const METADATA = {
  name: 'web',
  namespace: 'shop',
  uid: 'u1',
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-01-01T10:00:00Z',
};
const deployment = (metadata: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...METADATA, ...metadata },
  spec: { replicas: 2, template: {} },
});

test('of an object, what decisions use is kept, and of its annotations those that count', () => {
  const annotations = { [ANNOTATIONS.phase]: 'initialized', team: 'shop' };
  const { metadata, spec } = project(deployment({ annotations, labels: { app: 'web' } }));
  const { creationTimestamp: _created, ...others } = METADATA;
  expect(metadata).toEqual({
    ...others,
    annotations: { [ANNOTATIONS.phase]: 'initialized' },
    inputs: expect.any(String),
    isWritten: false,
  });
  expect(spec).toEqual({ replicas: 2 });
});

test('what an object does not have, is not there; when it was deleted, is', () => {
  const deletionTimestamp = '2026-01-01T11:00:00Z';
  const { metadata } = project(deployment({ namespace: undefined, deletionTimestamp }));
  expect(Object.keys(metadata)).not.toContain('namespace');
  expect(metadata.deletionTimestamp).toBe(deletionTimestamp);
  expect(Object.keys(project(deployment({})).metadata)).not.toContain('deletionTimestamp');
});

test('when an object was created is kept until it is initialized: then its age does not count', () => {
  const of = (annotations: object): KubeObject['metadata'] => project(deployment({ annotations })).metadata;
  expect(of({}).creationTimestamp).toBe(METADATA.creationTimestamp);
  expect(Object.keys(of({ [ANNOTATIONS.phase]: 'initialized' }))).not.toContain('creationTimestamp');
});

test('objects whose status says the same have one, whenever it came to say so', () => {
  const of = (type: string, lastTransitionTime: string): unknown => {
    const available = { type, status: 'True', reason: 'MinimumReplicasAvailable', lastTransitionTime };
    const status = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, conditions: [available] };
    return project({ ...deployment({}), status })['status'];
  };
  const [first, second] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z'] as const;
  expect(of('Available', first)).toBe(of('Available', second));
  expect(of('Reconciling', first)).toMatchObject({ conditions: [{ lastTransitionTime: first }] });
});
