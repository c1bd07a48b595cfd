import { expect, test } from 'vitest';
import { ENFORCER } from '../api.ts';
import { childrenOf, classOf } from '../testing/class-bench.ts';
import type { LiveDeployment } from './observed-class.ts';
import { otherManagers, replicasOwner } from './replicas-owner.ts';

test.each([
  ['the template', { manager: 'oprc-crm', operation: 'Apply' }, undefined],
  ['the enforcer', { manager: ENFORCER, operation: 'Apply' }, undefined],
  ['an autoscaler that is gone', { manager: 'kube-controller-manager', subresource: 'scale' }, undefined],
  ['kubectl scale', { manager: 'kubectl', subresource: 'scale' }, 'kubectl'],
  ['KEDA, which pauses it', { manager: 'keda', subresource: 'scale' }, 'keda'],
  ['kubectl edit', { manager: 'kubectl-edit' }, 'kubectl-edit'],
])('CRT-N32 the replicas that %s has set belong to', (_who, claim, owner) => {
  const entry = { operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } }, ...claim };
  const bare = childrenOf(classOf()).find(({ kind }) => kind === 'Deployment') as LiveDeployment;
  const live = { ...bare, metadata: { ...bare.metadata, managedFields: [entry] } };
  expect(replicasOwner(live, undefined)?.name).toBe(owner);
  expect(otherManagers(live, 'replicas')).toEqual(owner === undefined ? [] : [owner]);
});
