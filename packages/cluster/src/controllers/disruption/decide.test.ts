import { type corev1, defined, type policyv1, type Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { decide, needsScale, type Observed } from './decide.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const podOf = (
  name: string,
  isReady = true,
  metadata: Partial<Stored<corev1.Pod>['metadata']> = {},
): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name, uid: 'u', resourceVersion: '1', ...metadata },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const budgetOf = (
  spec: policyv1.PodDisruptionBudgetSpec,
  status?: policyv1.PodDisruptionBudgetStatus,
): Stored<policyv1.PodDisruptionBudget> => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'ns', name: 'budget', uid: 'u', resourceVersion: '1', generation: 3 },
  spec,
  ...defined({ status }),
});
const [a, b, c] = [podOf('a'), podOf('b'), podOf('c')];
const sick = podOf('s', false);
const leaving = podOf('l', true, { deletionTimestamp: '2026-01-01T00:00:00Z' });
const wants = (wanted: number): Observed['scale'] => ({ wanted, unmanaged: 0 });

describe('pods expected, desired, healthy, and how many may be disrupted', () => {
  test.each<
    [string, policyv1.PodDisruptionBudgetSpec, readonly Stored<corev1.Pod>[], number, readonly number[]]
  >([
    ['minAvailable 2 of three', { minAvailable: 2 }, [a, b, c], 0, [3, 2, 3, 1]],
    ['minAvailable 2 of three, one not ready', { minAvailable: 2 }, [a, b, sick], 0, [3, 2, 2, 0]],
    ['minAvailable 2 of three, one leaving', { minAvailable: 2 }, [a, b, leaving], 0, [3, 2, 2, 0]],
    ['minAvailable 50% of three, rounded up', { minAvailable: '50%' }, [a, b, c], 3, [3, 2, 3, 1]],
    ['maxUnavailable 1 of three', { maxUnavailable: 1 }, [a, b, c], 3, [3, 2, 3, 1]],
    ['maxUnavailable 1 of three, of which one is missing', { maxUnavailable: 1 }, [a, b], 3, [3, 2, 2, 0]],
    ['maxUnavailable 30% of three, rounded up', { maxUnavailable: '30%' }, [a, b, c], 3, [3, 2, 3, 1]],
    ['neither', {}, [a, b, c], 0, [0, 0, 3, 0]],
    ['no pods', { minAvailable: 1 }, [], 0, [0, 1, 0, 0]],
  ])('%s', (_title, spec, pods, wanted, counts) => {
    const { status } = decide({ budget: budgetOf(spec), pods, scale: wants(wanted) }, NOW);
    const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed = 0, conditions } = status;
    expect([expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed]).toEqual(counts);
    expect(conditions?.map(({ status: holds }) => holds)).toEqual([
      disruptionsAllowed > 0 ? 'True' : 'False',
    ]);
  });
});

test('an eviction that was let through counts for two minutes', () => {
  const disruptedPods = {
    a: '2026-01-01T00:09:00Z',
    b: '2026-01-01T00:07:00Z',
    gone: '2026-01-01T00:09:00Z',
  };
  const counts = { currentHealthy: 3, desiredHealthy: 1, disruptionsAllowed: 2, expectedPods: 3 };
  const budget = budgetOf({ minAvailable: 1 }, { ...counts, disruptedPods });
  const decision = decide({ budget, pods: [a, b, c], scale: wants(0) }, NOW);
  expect(decision.status).toMatchObject({
    disruptedPods: { a: '2026-01-01T00:09:00Z' },
    currentHealthy: 2,
    disruptionsAllowed: 1,
  });
  expect(Object.keys(decision.status.disruptedPods ?? {})).toEqual(['a']);
  expect(decision.forgotten).toEqual([b]);
  expect(decision.requeueAfter).toBe(60_001);
});

test.each<[string, readonly Stored<corev1.Pod>[], Observed['scale'], readonly string[]]>([
  ['no pods', [], wants(0), ['NoPods']],
  ['pods of nobody', [a], { wanted: 0, unmanaged: 1 }, ['UnmanagedPods']],
  ['controllers that cannot be read', [a], { error: 'no scale' }, ['CalculateExpectedPodCountFailed']],
])('%s: %o', (_title, pods, scale, reasons) => {
  const { events, status } = decide({ budget: budgetOf({ maxUnavailable: 1 }), pods, scale }, NOW);
  expect(events.map(({ reason }) => reason)).toEqual(reasons);
  expect(status.disruptionsAllowed).toBe(0);
});

test.each<[policyv1.PodDisruptionBudgetSpec, boolean]>([
  [{ minAvailable: 1 }, false],
  [{ minAvailable: '50%' }, true],
  [{ maxUnavailable: 1 }, true],
])('%o needs the scale of controllers: %s', (spec, needs) => {
  expect(needsScale(budgetOf(spec))).toBe(needs);
});
