import type { Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { ResourceSlice } from './api.ts';
import { noLongerReconciled } from './watched.ts';

const slice = (...resources: readonly { reconciled?: boolean }[]): Stored<ResourceSlice> => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'shop-1', namespace: 'ns', uid: 'u', resourceVersion: '1' },
  status: { resources },
});
const [yes, no] = [{ reconciled: true }, { reconciled: false }];

test.each<[string, Stored<ResourceSlice>, Stored<ResourceSlice>, boolean]>([
  [
    'a failure of what was reconciled is looked at, whoever reported it',
    slice(yes, yes),
    slice(yes, no),
    true,
  ],
  ['a status that is gone too', slice(yes), slice(), true],
  ['progress is not', slice(no, {}), slice(yes, no), false],
  ['nor is the same failure again', slice(no), slice(no), false],
])('%s', (_title, old, object, expected) => {
  expect(noLongerReconciled({ type: 'Update', old, object })).toBe(expected);
});
