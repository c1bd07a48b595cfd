import { keyOf } from '@kubewright/client';
import { describe, expect, test } from 'vitest';
import { RESOURCE_SLICES } from './api.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const CONFIG_MAPS = { apiGroups: [''], resources: ['configmaps'] };

/** Settings of a process, which its manifests may have too, on any server. */
export function processSettingsContract(server: () => ServerUnderTest): void {
  describe('RESOURCE_FILTER', () => {
    const filter = { RESOURCE_FILTER: "self.kind == 'ConfigMap' && self.metadata.name.startsWith('mine')" };
    const { arena, compose, config, configMap, slice, until, untilStates } = useCompositions(
      server,
      CONFIG_MAPS,
      filter,
    );

    test('manifests of other processes are left alone, and nothing waits for them', async () => {
      const theirs = config('filter-theirs', { a: '1' }, { 'readiness-group': '1' });
      const mine = config('mine', { a: '1' }, { 'readiness-group': '2' });
      const written = await slice(await compose('filtered'), [theirs, mine, config('mine-too', {})]);
      const [first] = await untilStates(written, [{}, { reconciled: true }, { reconciled: true }]);
      expect(first).toEqual({});
      expect(await configMap('filter-theirs')).toBeUndefined();

      const resources = [theirs, mine];
      await arena.client.patch(RESOURCE_SLICES, keyOf(written), {
        type: 'merge',
        body: { spec: { resources } },
      });
      await until(async () => expect(await configMap('mine-too')).toBeUndefined());
      expect(await configMap('mine')).toBeDefined();
    });
  });

  describe('FAIL_OPEN', () => {
    const { arena, compose, composition, slice, until, untilStates } = useCompositions(server, CONFIG_MAPS, {
      FAIL_OPEN: 'true',
    });
    const invalid = (name: string, annotations: object = {}) => {
      const metadata = { name, namespace: arena.namespace, annotations };
      return { manifest: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: 'invalid' }) };
    };

    test('what fails counts as reconciled, and as ready only without checks', async () => {
      const open = await compose('open');
      await untilStates(await slice(open, [invalid('open')]), [
        { reconciled: true, ready: expect.any(String) },
      ]);
      await until(async () => expect((await composition(open)).status?.simplified?.status).toBe('Ready'));

      const checked = await compose('checked');
      const manifest = invalid('checked', { 'eno.azure.io/readiness': 'true' });
      const [state] = await untilStates(await slice(checked, [manifest]), [{ reconciled: true }]);
      expect(state).not.toHaveProperty('ready');
      await until(async () =>
        expect((await composition(checked)).status?.simplified?.status).toBe('NotReady'),
      );
    });

    test('a manifest may say otherwise', async () => {
      const manifest = invalid('closed', { 'eno.azure.io/fail-open': 'false' });
      await untilStates(await slice(await compose('closed'), [manifest]), [{ reconciled: false }]);
    });
  });
}
