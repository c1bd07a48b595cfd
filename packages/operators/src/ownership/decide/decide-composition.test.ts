import type { JsonObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Composition, ResourceSlice, ResourceState } from '../api.ts';
import { decideComposition } from './decide-composition.ts';

const now = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
const time = '2026-01-02T03:04:05Z';

function composition(status?: JsonObject, spec: JsonObject = {}): Composition {
  return {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    metadata: { name: 'shop', namespace: 'ns', uid: 'u', generation: 2 },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

function slice(name: string, states: readonly ResourceState[], generation = 1): Stored<ResourceSlice> {
  return {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', generation },
    spec: { resources: states.map(() => ({ manifest: '{}' })) },
    status: { resources: states, observedGeneration: 1 },
  };
}

const done = { reconciled: true, ready: '2026-01-01T00:00:00Z' };

describe('a Composition without a synthesizer', () => {
  test('takes the slices that it owns as its current synthesis, by name', () => {
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('b', [{}]), slice('a', [done])] },
      now,
    );

    expect(status).toEqual({
      currentSynthesis: {
        observedCompositionGeneration: 2,
        synthesized: time,
        resourceSlices: [{ name: 'a' }, { name: 'b' }],
      },
      simplified: { status: 'Reconciling' },
    });
  });

  test('is ready when all of its objects are, since the last became it', () => {
    const late = { reconciled: true, ready: '2026-01-01T12:00:00Z' };
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [late, done])] },
      now,
    );

    expect(status?.currentSynthesis).toMatchObject({ reconciled: time, ready: late.ready });
    expect(status?.simplified).toEqual({ status: 'Ready' });
  });

  test('shows the error of an object', () => {
    const failing = { reconciled: false, reconciliationError: 'no such kind' };
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [failing, done])] },
      now,
    );

    expect(status?.simplified).toEqual({ status: 'Reconciling', error: 'no such kind' });
  });

  test('does not believe states of an earlier generation', () => {
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [done], 2)] },
      now,
    );

    expect(status?.currentSynthesis?.reconciled).toBeUndefined();
  });

  test('is not written when nothing changed', () => {
    const slices = [slice('a', [done])];
    const { status } = decideComposition({ composition: composition(), slices }, now);
    const later = new Date(now.getTime() + 60_000);

    expect(decideComposition({ composition: composition(status as JsonObject), slices }, later)).toEqual({
      reason: 'UpToDate',
    });
  });

  test('forgets a slice that is gone, and is synthesized anew', () => {
    const before = decideComposition(
      { composition: composition(), slices: [slice('a', [done]), slice('b', [done])] },
      now,
    );
    const later = new Date(now.getTime() + 60_000);

    const { status } = decideComposition(
      { composition: composition(before.status), slices: [slice('a', [done])] },
      later,
    );

    expect(status?.currentSynthesis).toMatchObject({
      resourceSlices: [{ name: 'a' }],
      synthesized: '2026-01-02T03:05:05Z',
    });
  });

  test('says nothing before it has a slice', () => {
    expect(decideComposition({ composition: composition(), slices: [] }, now).reason).toBe('NoSlices');
  });
});

test('a Composition with a synthesizer is synthesized elsewhere', () => {
  const observed = {
    composition: composition(undefined, { synthesizer: { name: 's' } }),
    slices: [slice('a', [done])],
  };

  expect(decideComposition(observed, now)).toEqual({ reason: 'SynthesizedElsewhere' });
});
