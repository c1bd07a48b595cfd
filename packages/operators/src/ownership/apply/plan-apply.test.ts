import type { JsonObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { configMap } from '../testing/objects.ts';
import { type ApplyPlan, manifestOf, planApply } from './plan-apply.ts';

const large = 'x'.repeat(200_000);
const config = (name: string, value = '1'): JsonObject => ({ ...configMap(name, { value }) });
const slice = (name: string, ...objects: readonly JsonObject[]) => ({
  metadata: { name },
  spec: { resources: objects.map(manifestOf) },
});
const shown = ({ slices }: ApplyPlan): unknown =>
  slices.map(({ name, resources }) => [
    name,
    ...resources.map(
      ({ manifest = '' }) => (JSON.parse(manifest) as { metadata: { name: string } }).metadata.name,
    ),
  ]);

describe('which slices an apply of a folder writes', () => {
  test('all manifests in one, where they fit', () => {
    const plan = planApply('shop', [config('a'), config('b')], []);
    expect(shown(plan)).toEqual([['shop-1', 'a', 'b']]);
    expect(plan).toMatchObject({ unchanged: 0, changes: [{ change: 'create' }, { change: 'create' }] });
  });

  test('none, where nothing changes', () => {
    const plan = planApply('shop', [config('b'), config('a')], [slice('shop-1', config('a'), config('b'))]);
    expect(plan).toEqual({ changes: [], unchanged: 2, slices: [] });
  });

  test('only those of which a manifest changes or goes; each stays in its slice', () => {
    const current = [slice('shop-1', config('a')), slice('shop-2', config('b'), config('c'))];
    const plan = planApply('shop', [config('a'), config('c', '2')], current);
    expect(shown(plan)).toEqual([['shop-2', 'c']]);
    expect(plan.changes).toMatchObject([
      { change: 'change', object: 'ConfigMap c' },
      { change: 'prune', object: 'ConfigMap b' },
    ]);
  });

  test('one that gains a manifest comes before the one that loses it', () => {
    const current = [slice('shop-1', config('a', large), config('b', large)), slice('shop-2', config('c'))];
    const plan = planApply('shop', [config('a', large + large), config('b', large), config('c')], current);
    expect(shown(plan)).toEqual([
      ['shop-2', 'c', 'b'],
      ['shop-1', 'a'],
    ]);
  });

  test('an object at another version of its API is the same object', () => {
    const scaler = (version: string): JsonObject => ({
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
    });
    const plan = planApply('shop', [scaler('v2')], [slice('shop-1', scaler('v1'))]);
    expect(plan.changes).toMatchObject([{ change: 'change', object: 'HorizontalPodAutoscaler web' }]);
  });
});
