import { keyOf } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { Registry } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { type Manifest, RESOURCE_SLICES } from './api.ts';
import { configMap } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const CONFIG_MAPS = { apiGroups: [''], resources: ['configmaps'] };

/** What a scrape of the manager says of moves of ownership, on any server. */
export function migrationMetricsContract(server: () => ServerUnderTest): void {
  describe('metrics of moves of ownership', () => {
    const registry = new Registry();
    const env = { MIGRATING_FIELD_MANAGERS: 'legacy-*' };
    const world = useCompositions(server, CONFIG_MAPS, env, registry);
    const { arena, compose, config, slice, untilStates } = world;
    const replaceManifests = (of: KubeObject, resources: readonly Manifest[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(of), { type: 'merge', body: { spec: { resources } } });

    /** A key that another manager applies too is dropped. */
    async function dropShared(name: string, manager: string, expected: object): Promise<void> {
      const written = await slice(await compose(name), [config(name, { a: '1', b: '1' })]);
      await untilStates(written, [{ reconciled: true }]);
      await arena.apply(configMap(name, { b: '1' }), manager);
      await replaceManifests(written, [config(name, { a: '1' })]);
      await untilStates(written, [expected]);
    }

    test('count what was moved, and what may not be, by managers that the settings name', async () => {
      await dropShared('moved', 'legacy-a', { reconciled: true, ownership: { state: 'Moved' } });
      await dropShared('stuck', 'stranger', { reconciled: false, ownership: { state: 'Blocked' } });

      const counts = async (): Promise<readonly string[]> =>
        (await registry.metrics()).split('\n').filter((line) => /^eno_\w+(_total|_count)[ {]/u.test(line));
      // Counted when the server has responded, which others may see before.
      await expect
        .poll(async () => (await counts()).toSorted())
        .toEqual([
          'eno_ownership_conflicts_retried_total 0',
          'eno_ownership_contested_total 0',
          'eno_ownership_migration_duration_seconds_count 1',
          'eno_ownership_migrations_total{status="skipped"} 1',
          'eno_ownership_migrations_total{status="success"} 1',
          'eno_ownership_paths_moved_total 1',
          'eno_ownership_residual_detected_total 0',
          'eno_ownership_rewrites_ignored_total 0',
          'eno_ownership_rollbacks_total 0',
          'eno_split_ownership_detected_total{kind="ConfigMap",other_manager="legacy-*"} 1',
          'eno_split_ownership_detected_total{kind="ConfigMap",other_manager="other"} 1',
        ]);
    });
  });
}
