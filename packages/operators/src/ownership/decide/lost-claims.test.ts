import { FieldSet } from '@kubewright/kube/fields';
import { describe, expect, test } from 'vitest';
import { entry, live, plan, planned } from '../testing/claims.ts';
import { readApplied } from './applied-fields.ts';
import { planAdopt } from './plan-adopt.ts';
import type { PlanInput } from './migration-plan.ts';
import { DEFAULT_POLICY } from '../migration-policy.ts';

const replicas = { 'f:spec': { 'f:replicas': {} } };
const applied = FieldSet.parse({ 'f:spec': { 'f:replicas': {}, 'f:paused': {} } });

describe('a removal of what the last apply owned', () => {
  test('OWN-T54 completes our claim, where nobody has the field any more', () => {
    const ours = entry('eno', 'Apply', { 'f:spec': { 'f:paused': {} } });
    const result = plan(live([ours]), { 'f:spec': { 'f:paused': {} } }, {}, { applied });
    expect(planned(result, 'eno', 'Apply')).toEqual({ 'f:spec': { 'f:paused': {}, 'f:replicas': {} } });
  });

  test('takes the field from the manager that took it', () => {
    const entries = [
      entry('eno', 'Apply', { 'f:spec': { 'f:paused': {} } }),
      entry('kubectl', 'Update', replicas),
    ];
    const result = plan(live(entries), { 'f:spec': { 'f:paused': {} } }, {}, { applied });
    expect(result).toMatchObject({ kind: 'rewrite', moves: [{ from: [{ manager: 'kubectl' }] }] });
    expect(planned(result, 'kubectl')).toBeUndefined();
  });

  test('takes a label from the manager that took it after a webhook had undone the removal', () => {
    const paused = { 'f:spec': { 'f:paused': {} } };
    const label = { 'f:metadata': { 'f:labels': { 'f:tier': {} } } };
    const object = live([entry('eno', 'Apply', paused), entry('second', 'Apply', label)]);
    const labelled = { ...object, metadata: { ...object.metadata, labels: { tier: 'web' } } };
    const recorded = { applied: JSON.stringify(paused), removing: JSON.stringify(label) };
    const result = plan(labelled, paused, {}, { applied: readApplied(recorded) });
    expect(result).toMatchObject({ kind: 'rewrite', moves: [{ from: [{ manager: 'second' }] }] });
  });

  test('begins our claim, where others own the rest', () => {
    const result = plan(
      live([entry('helm', 'Update', { 'f:metadata': { 'f:labels': {} } })]),
      {},
      {},
      { applied },
    );
    expect(planned(result, 'eno', 'Apply')).toEqual(replicas);
  });

  test('is none where the object does not have the field', () => {
    const gone = FieldSet.parse({ 'f:spec': { 'f:paused': {} } });
    const object = live([entry('helm', 'Update', replicas)]);
    expect(plan(object, {}, {}, { applied: gone, dryRun: object })).toEqual({ kind: 'nothing', left: [] });
  });

  test('is none where an override leaves the field to its owners', () => {
    const delegated = [['f:spec', 'f:replicas']];
    const object = live([entry('eno', 'Apply', replicas), entry('hpa', 'Update', replicas)]);
    expect(plan(object, {}, {}, { applied, delegated }).kind).toBe('nothing');
    const input: PlanInput = {
      live: object,
      manager: 'eno',
      apiVersion: 'apps/v1',
      desired: FieldSet.EMPTY,
      dryRun: undefined,
      policy: DEFAULT_POLICY,
      delegated,
    };
    expect(planAdopt(input)).toEqual({ kind: 'nothing', left: [] });
  });
});
