import type { ResourceRef } from '@kubewright/client';
import { corev1, type JsonObject, type Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { NamespaceCondition } from './namespace-conditions.ts';
import { conclude, decideStep, finalized } from './decide-step.ts';
import type { ResourceOutcome } from './purge.ts';

const DELETED = '2026-01-01T00:00:00Z';
const soon = new Date('2026-01-01T00:00:10Z');

const namespace = (status: JsonObject = { phase: 'Terminating' }): Stored => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns', uid: 'ns', resourceVersion: '1', deletionTimestamp: DELETED },
  spec: { finalizers: ['kubernetes', 'example.com/own'] },
  status,
});
const outcome = (
  ref: ResourceRef,
  remaining: number,
  more: Partial<ResourceOutcome> = {},
): ResourceOutcome => ({
  ref,
  remaining,
  finalizers: new Map(),
  graceSeconds: 0,
  ...more,
});
const conditionsOf = (status: JsonObject = {}): readonly NamespaceCondition[] =>
  status['conditions'] as readonly NamespaceCondition[];
const trueConditions = (status: JsonObject | undefined): readonly string[] =>
  conditionsOf(status)
    .filter((condition) => condition.status === 'True')
    .map(({ reason, message }) => `${reason}: ${message}`);

describe('a namespace', () => {
  test.each<[string, Stored, string]>([
    [
      'that nobody deletes',
      { ...namespace(), metadata: { name: 'ns', uid: 'ns', resourceVersion: '1' } },
      'leave',
    ],
    ['whose phase is behind', namespace({ phase: 'Active' }), 'mark'],
    ['that ends', namespace(), 'purge'],
    ['that somebody else has to end', { ...namespace(), spec: {} }, 'leave'],
  ])('%s', (_title, object, step) => expect(decideStep(object)).toBe(step));

  test('that is empty says so and is finalized', () => {
    const { status, finalize, errors, requeueAfter } = conclude(namespace(), { outcomes: [] }, soon);
    expect({ finalize, errors, requeueAfter }).toEqual({
      finalize: true,
      errors: [],
      requeueAfter: undefined,
    });
    expect(conditionsOf(status).map(({ type, status: is }) => [type, is])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False'],
      ['NamespaceDeletionContentFailure', 'False'],
      ['NamespaceContentRemaining', 'False'],
      ['NamespaceFinalizersRemaining', 'False'],
    ]);
    const again = conclude(namespace(status), { outcomes: [] }, new Date('2026-01-02T00:00:00Z'));
    expect(again.status).toBeUndefined();
    expect(finalized(namespace())['spec']).toEqual({ finalizers: ['example.com/own'] });
  });

  test('waits for what finalizers keep', () => {
    const kept = outcome(corev1.configmaps, 2, { finalizers: new Map([['example.com/own', 2]]) });
    const { status, finalize, requeueAfter } = conclude(namespace(), { outcomes: [kept] }, soon);
    expect([finalize, requeueAfter]).toEqual([false, 8000]);
    expect(trueConditions(status)).toEqual([
      'SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances',
      'SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/own in 2 resource instances',
    ]);
  });

  test('gives pods the time that they have, and no more', () => {
    const dying = outcome(corev1.pods, 1, { graceSeconds: 30 });
    expect(conclude(namespace(), { outcomes: [dying] }, soon)).toMatchObject({
      finalize: false,
      requeueAfter: 16_000,
      errors: [],
    });
    const late = conclude(namespace(), { outcomes: [dying] }, new Date('2026-01-01T00:00:31Z'));
    expect(late.errors).toEqual([
      'unexpected items still remain in namespace: ns for gvr: /v1, Resource=pods',
    ]);
  });

  test('reports what failed, and is not finalized', () => {
    const failed = outcome(corev1.configmaps, 0, { error: 'no' });
    const report = { outcomes: [failed], discoveryError: 'Discovery failed for some groups' };
    const { status, finalize, errors } = conclude(namespace(), report, soon);
    expect([finalize, errors]).toEqual([false, ['Discovery failed for some groups', 'no']]);
    expect(trueConditions(status)).toEqual([
      'DiscoveryFailed: Discovery failed for some groups',
      'ContentDeletionFailed: Failed to delete all resource types, 1 remaining: no',
    ]);
  });

  test('keeps the time of a condition that only changes its words', () => {
    const kept = (count: number) =>
      outcome(corev1.configmaps, count, { finalizers: new Map([['f', count]]) });
    const first = conclude(namespace(), { outcomes: [kept(2)] }, soon);
    const second = conclude(
      namespace(first.status),
      { outcomes: [kept(1)] },
      new Date('2026-01-01T00:01:00Z'),
    );
    const times = conditionsOf(second.status).map((one) => one.lastTransitionTime);
    expect(new Set(times)).toEqual(new Set(['2026-01-01T00:00:10Z']));
  });
});
