import assert from 'node:assert/strict';
import { formatTime, type JsonObject, type Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { planMinimal } from '../../packages/operators/src/ownership/decide/plan-minimal.ts';
import { DEFAULT_POLICY } from '../../packages/operators/src/ownership/migration-policy.ts';
import { median } from '../median.ts';

const CONTAINERS = 20;
const [WARM_UP, ROUNDS] = [200, 1000];

/** Milliseconds in the middle, to plan the removal of one container of twenty which two managers own. */
export function planTime(): number {
  const names = Array.from({ length: CONTAINERS }, (_none, index) => `c${index}`);
  const live = deployment(names);
  const desired = FieldSet.parse(fieldsOf(names.slice(1)));
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const began = performance.now();
    const plan = planMinimal({
      live,
      manager: 'eno',
      apiVersion: 'apps/v1',
      desired,
      dryRun: undefined,
      policy: DEFAULT_POLICY,
    });
    if (round >= 0) times.push(performance.now() - began);
    assert(plan.kind === 'rewrite' && plan.moves.length === 1);
  }
  return median(times);
}

function deployment(names: readonly string[]): Stored {
  const time = formatTime(new Date(0));
  const entry = { apiVersion: 'apps/v1', time, fieldsType: 'FieldsV1', fieldsV1: fieldsOf(names) };
  const managedFields = [
    { manager: 'eno', operation: 'Apply', ...entry },
    { manager: 'helm', operation: 'Update', ...entry },
  ];
  const containers = names.map((name) => ({ name, image: 'i:1', command: ['sh'], args: ['-c'] }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'web', resourceVersion: '7', managedFields },
    spec: { template: { spec: { containers } } },
  };
}

function fieldsOf(names: readonly string[]): JsonObject {
  const fields = { '.': {}, 'f:args': {}, 'f:command': {}, 'f:image': {}, 'f:name': {} };
  const items = Object.fromEntries(names.map((name) => [`k:{"name":"${name}"}`, fields]));
  return { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': items } } } };
}
