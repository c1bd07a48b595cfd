import type { corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { jobOf, many, NOW, pod, type Spec } from '../testing/job-cases.ts';
import { account } from './account.ts';
import { assess } from './assess.ts';

describe('how often each pod is counted', () => {
  const names = (pods: readonly Stored<corev1.Pod>[]): readonly string[] =>
    pods.map(({ metadata }) => metadata.uid);
  test('once, in two steps', () => {
    const job = jobOf({});
    const [done, failed, runs] = [pod('Succeeded', { exit: 0 }), pod('Failed'), pod('Running')];
    const pods = [done, failed, runs];
    const first = account(assess(job, pods, NOW));
    expect(first).toMatchObject({ succeeded: 0, failed: 0, released: [done, failed] });
    expect(first.uncounted).toEqual({ succeeded: names([done]), failed: names([failed]) });
    const recorded = jobOf({}, { uncountedTerminatedPods: first.uncounted });
    expect(account(assess(recorded, pods, NOW)).uncounted).toEqual(first.uncounted);
    const released = [{ ...done, metadata: { ...done.metadata, finalizers: [] } }, failed, runs];
    expect(account(assess(recorded, released, NOW))).toMatchObject({
      succeeded: 1,
      failed: 0,
      uncounted: { succeeded: [], failed: names([failed]) },
      released: [failed],
    });
    expect(account(assess(recorded, [], NOW))).toMatchObject({ succeeded: 1, failed: 1, released: [] });
  });

  test('as what it was named first', () => {
    const flipped = pod('Succeeded', { exit: 0 });
    const recorded = jobOf({}, { uncountedTerminatedPods: { failed: names([flipped]) } });
    expect(account(assess(recorded, [flipped], NOW)).uncounted).toEqual({
      succeeded: [],
      failed: names([flipped]),
    });
  });

  test('not at all where nobody holds it, or a rule ignores it; no more than 500 are named at once', () => {
    expect(account(assess(jobOf({}), many(2, 'Failed', { free: true }), NOW)).released).toEqual([]);
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }];
    const ignored = [pod('Failed', { exit: 3 })];
    const job = jobOf({ podFailurePolicy: { rules } } as Spec);
    expect(account(assess(job, ignored, NOW))).toMatchObject({
      uncounted: { failed: [] },
      released: ignored,
    });
    const crowd = account(assess(jobOf({ completions: 600 }), many(600, 'Succeeded', { exit: 0 }), NOW));
    expect([crowd.uncounted.succeeded.length, crowd.released.length]).toEqual([500, 500]);
  });
});
