import { allowed } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { child, create, decided, update, users, withAnnotations } from '../testing/objects.ts';
import { respond } from './respond.ts';

const root = child({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ownerReferences: [] } });
const { annotations: _none, ...metadata } = root.metadata;
const bare = { ...root, metadata };

test('DRF-1 in place of the original, an object without annotations gets them by one patch, and the audit log their trace', () => {
  const review = create(bare, 'alice');
  const decision = decided(review, undefined, 'log');
  const { patch, auditAnnotations = {}, ...response } = respond(decision, review, 'annotations');
  expect(response).toEqual(allowed());
  expect(patch).toEqual([
    {
      op: 'add',
      path: '/metadata/annotations',
      value: { [ANNOTATIONS.trace]: expect.any(String), [ANNOTATIONS.updaters]: users('alice') },
    },
  ]);
  const { trace = '', ...audit } = auditAnnotations;
  expect(audit).toEqual({ decision: 'allowed', drift: 'false', mode: 'log' });
  expect(JSON.parse(trace)).toMatchObject([{ kind: 'Deployment', name: 'web', user: 'alice' }]);
});

test('DRF-2 a label is no reason for a patch, or for a word in the audit log', () => {
  const object = { ...root, metadata: { ...root.metadata, labels: { team: 'shop' } } };
  const review = update(root, { object, user: 'alice' });
  expect(respond(decided(review, undefined), review)).toEqual(allowed());
});

test('DRF-7 in place of the original, a write of the status patches annotations, and says nothing to the audit log', () => {
  const old = withAnnotations(root, { note: 'x' });
  const review = { ...update(old), isStatus: true, object: { ...old, status: { observedGeneration: 7 } } };
  const { patch = [], ...response } = respond(decided(review, undefined), review, 'annotations');
  expect(response).toEqual(allowed());
  expect(patch.map(({ path }) => path).toSorted()).toEqual([
    '/metadata/annotations/kausality.io~1controllers',
    '/metadata/annotations/kausality.io~1observedGeneration',
    '/metadata/managedFields',
  ]);
});
