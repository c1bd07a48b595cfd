import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { readSettings } from '../settings.ts';
import { autoscalerOf, detailOf, enforcedClass, loadFor, look, play } from '../testing/enforcement-bench.ts';

const DISABLED = readSettings({
  OPRC_CRM_FEATURES_NFR_ENFORCEMENT: 'false',
  OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA: '0',
});
const ENABLED = readSettings({ OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA: '0' });
const conditionOf = ({ runtime }: ReturnType<typeof enforcedClass>) =>
  runtime.status?.conditions?.find(({ type }) => type === 'NfrEnforced');

test('CRT-D47 with OPRC_CRM_FEATURES_NFR_ENFORCEMENT=false a class is sized, and nothing of it is enforced', () => {
  const state = play(enforcedClass(), 600, () => 3, DISABLED);
  expect(state).toMatchObject({ applied: [], events: [] });
  expect(detailOf(state)).toMatchObject({ recommended: 3, current: 1, decision: 'SkipDisabled' });
  expect(conditionOf(state)).toMatchObject({ status: 'False', reason: 'SkipDisabled' });
  expect(state.runtime.status?.phase).toBe('available');
});

test('CRT-D47 what was enforced before it was disabled stays, and is enforced again afterwards', () => {
  const scaled = play(enforcedClass(), 600, () => 5, ENABLED);
  expect(scaled.applied).toEqual(['180 hello 1 -> 5']);
  const disabled = look(scaled, 660, loadFor(scaled, 2, 660), DISABLED);
  const later = look(disabled, 2000, loadFor(disabled, 2, 2000), DISABLED);
  expect(later.applied).toEqual(scaled.applied);
  expect(later.live).toEqual(scaled.live);
  const again = look(later, 2060, loadFor(later, 2, 2060), ENABLED);
  expect(detailOf(again)?.decision).toBe('WaitStability');
  expect(look(again, 2240, loadFor(again, 2, 2240), ENABLED).applied.at(-1)).toBe('2240 hello 5 -> 2');
});

test('CRT-D47 an autoscaler keeps the minimum that it had when enforcement was disabled', () => {
  const raised = play(enforcedClass({ autoscaler: autoscalerOf(1, 10) }), 600, () => 3, ENABLED);
  const state = look(raised, 660, loadFor(raised, 7, 660), DISABLED);
  expect(state.autoscaler).toEqual(raised.autoscaler);
  expect(state.autoscaler).toMatchObject({
    metadata: { annotations: { [ANNOTATIONS.ownMinimum]: '1' } },
    spec: { minReplicas: 3 },
  });
});

test('CRT-D47 a class that is degraded because nothing could be enforced is so no longer', () => {
  const begun = play(enforcedClass(), 120, () => 3, ENABLED);
  const refusal = { reason: 'EnforceConflict', message: 'another manager has the field' };
  const failed = look(begun, 180, loadFor(begun, 3, 180), ENABLED, refusal);
  expect(failed.runtime.status?.phase).toBe('degraded');
  const recovering = look(failed, 190, loadFor(failed, 3, 190), DISABLED);
  const state = look(recovering, 210, loadFor(recovering, 3, 210), DISABLED);
  expect(state.runtime.status?.phase).toBe('available');
  expect(detailOf(state)).toMatchObject({ decision: 'SkipDisabled' });
});
