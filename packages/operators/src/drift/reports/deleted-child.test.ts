import { expect, test } from 'vitest';
import type { AdmissionRequest } from '@kubewright/runtime';
import { child, decided, remove, site } from '../testing/objects.ts';
import { driftReport } from './drift-report.ts';

test('DRF-72 the report of a deletion has the object that would be gone', () => {
  const review = remove(child());
  const userInfo = { username: review.user, uid: '', groups: [], extra: {} };
  const request = { uid: 'r-1', userInfo, dryRun: false, options: undefined } as Partial<AdmissionRequest>;
  const report = driftReport({
    request: request as AdmissionRequest,
    review,
    facts: { parent: site(), mode: 'enforce', isEnding: false },
    decision: decided(review, site()),
  });
  expect(report?.spec).toMatchObject({
    phase: 'Detected',
    child: { kind: 'ReplicaSet', name: 'web' },
    newObject: { kind: 'ReplicaSet', metadata: { name: 'web', uid: 'c-1' }, spec: { replicas: 3 } },
    request: { operation: 'DELETE', uid: 'r-1' },
  });
  expect(report?.spec).not.toHaveProperty('oldObject');
});
