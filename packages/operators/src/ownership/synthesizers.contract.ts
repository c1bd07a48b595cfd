import { corev1, type KubeObject, type Stored, stringifyJson } from '@kubewright/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { type Composition, RESOURCE_SLICES } from './api.ts';
import { SYNTHESIS_PODS, SYNTHESIZERS, type SynthesizerSpec } from './synthesis/synthesizers.ts';
import { configMap } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/**
 * Compositions whose manifests a pod prints, on any cluster with a node. `image` prints a ConfigMap with the name of the
 * Composition and the data of the input `settings`.
 */
export function synthesizersContract(server: () => ServerUnderTest, image: string): void {
  describe('a Composition with a synthesizer', () => {
    const world = useCompositions(server);
    const { arena, compose, composition, until } = world;
    const made: string[] = [];

    /** The command of a synthesizer that prints these objects. */
    function printing(...objects: readonly KubeObject[]): SynthesizerSpec {
      const { namespace } = arena;
      const items = objects.map((one) => ({ ...one, metadata: { namespace, ...one.metadata } }));
      const list = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items };
      return { image: 'synthesizer:1', command: ['sh', '-c', `echo ${stringifyJson(list)}`] };
    }
    async function synthesizer(name: string, spec: SynthesizerSpec): Promise<void> {
      made.push(name);
      const metadata = { name };
      await arena.client.create(SYNTHESIZERS, {
        apiVersion: 'eno.azure.io/v1',
        kind: 'Synthesizer',
        metadata,
        spec,
      });
    }
    const change = (name: string, spec: SynthesizerSpec) =>
      arena.client.patch(SYNTHESIZERS, { name }, { type: 'merge', body: { spec } });
    const untilStatus = (owner: Stored<Composition>, expected: object): Promise<Composition> =>
      until(async () => {
        const found = await composition(owner);
        expect(found.status).toMatchObject(expected);
        return found;
      });
    const podsOf = async (owner: Stored<Composition>) =>
      (await arena.client.list(SYNTHESIS_PODS, { namespace: arena.namespace })).items.filter(
        ({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid,
      );
    const slicesOf = async (owner: Stored<Composition>) =>
      (await arena.client.list(RESOURCE_SLICES, { namespace: arena.namespace })).items.filter(
        ({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid,
      );

    afterAll(async () => {
      for (const name of made) await arena.client.delete(SYNTHESIZERS, { name });
    });

    test('has what its pod prints, and when the synthesizer changes, what that prints then', async () => {
      await synthesizer(
        'changing',
        printing(configMap('kept', { a: '1' }), configMap('dropped', { a: '1' })),
      );
      const owner = await compose('changing', { spec: { synthesizer: { name: 'changing' } } });
      await untilStatus(owner, { simplified: { status: 'Ready' } });
      expect((await world.configMap('kept'))?.['data']).toEqual({ a: '1' });
      expect(await world.configMap('dropped')).toBeDefined();

      await change('changing', printing(configMap('kept', { a: '2' })));

      await until(async () => {
        expect((await world.configMap('kept'))?.['data']).toEqual({ a: '2' });
        expect(await world.configMap('dropped')).toBeUndefined();
        expect(await podsOf(owner)).toEqual([]);
        expect(await slicesOf(owner)).toHaveLength(1);
      });
      const { status } = await untilStatus(owner, { simplified: { status: 'Ready' } });
      expect(status?.currentSynthesis).toMatchObject({ observedSynthesizerGeneration: 2, attempts: 1 });
      expect(status?.previousSynthesis).toMatchObject({ observedSynthesizerGeneration: 1 });
      expect(status?.inFlightSynthesis).toBeUndefined();
    });

    test('gives its pod the inputs, no token, and the time that it has', async () => {
      const command = ['sleep', 'infinity'];
      const refs = [{ key: 'settings', resource: { kind: 'ConfigMap' } }];
      await synthesizer('reading', { image: 'synthesizer:1', command, refs, podTimeout: '1m' });
      const bindings = [{ key: 'settings', resource: { name: 'settings' } }];
      const spec = {
        synthesizer: { name: 'reading' },
        bindings,
        synthesisEnv: [{ name: 'TIER', value: 'web' }],
      };
      const owner = await compose('reading', { spec });
      const missing = await untilStatus(owner, { simplified: { status: 'PendingSynthesis' } });
      expect(missing.status?.simplified?.error).toContain('input settings: ');

      await arena.create(configMap('settings', { costs: '$(TIER) $5' }), 'somebody');

      const pod = await until(async () => {
        const [found] = await podsOf(owner);
        expect(found).toBeDefined();
        return found;
      });
      const { env = [] } = pod?.spec.containers[0] ?? {};
      const input = env.find(({ name }) => name === 'ENO_INPUT')?.value ?? '';
      expect(JSON.parse(input.replaceAll('$$', '$'))).toMatchObject({
        kind: 'ResourceList',
        items: [
          {
            kind: 'ConfigMap',
            metadata: { name: 'settings', annotations: { 'eno.azure.io/input-key': 'settings' } },
            data: { costs: '$(TIER) $5' },
          },
        ],
      });
      expect(env).toContainEqual({ name: 'TIER', value: 'web' });
      expect(pod?.spec).toMatchObject({ automountServiceAccountToken: false, activeDeadlineSeconds: 60 });
    });

    test('has what a function makes of its inputs, also when one changes', async () => {
      const data = { costs: '$(TIER) $5 \\ "quoted"' };
      await arena.create(configMap('for-function', data), 'somebody');
      await synthesizer('function', { image, refs: [{ key: 'settings', resource: { kind: 'ConfigMap' } }] });
      const bindings = [{ key: 'settings', resource: { name: 'for-function' } }];
      const synthesisEnv = [{ name: 'TIER', value: 'web' }];
      const owner = await compose('computed', {
        spec: { synthesizer: { name: 'function' }, bindings, synthesisEnv },
      });
      await untilStatus(owner, { simplified: { status: 'Ready' } });
      expect((await world.configMap('computed'))?.['data']).toEqual({ ...data, tier: 'web' });

      const changed = { costs: '6' };
      const place = { namespace: arena.namespace, name: 'for-function' };
      await arena.client.patch(corev1.configmaps, place, { type: 'merge', body: { data: changed } });
      await until(async () => {
        expect((await world.configMap('computed'))?.['data']).toEqual({ ...changed, tier: 'web' });
      });
    });

    test('says what is wrong, tries again, and keeps what it has', async () => {
      await synthesizer('failing', printing(configMap('stays', { a: '1' })));
      const owner = await compose('failing', { spec: { synthesizer: { name: 'failing' } } });
      await untilStatus(owner, { simplified: { status: 'Ready' } });

      await change('failing', { command: ['sh', '-c', 'echo no list; exit 3'] });
      const error = 'the synthesizer has failed with exit code 3';
      const { status } = await untilStatus(owner, {
        simplified: { error },
        inFlightSynthesis: { attempts: 2 },
      });
      expect(status?.currentSynthesis).toMatchObject({ observedSynthesizerGeneration: 1 });
      expect(await world.configMap('stays')).toBeDefined();

      await change('failing', { command: ['sh', '-c', 'echo no list'] });
      await untilStatus(owner, { simplified: { error: 'it printed no ResourceList' } });

      await change('failing', printing(configMap('stays', { a: '2' })));
      await untilStatus(owner, { simplified: { status: 'Ready' }, currentSynthesis: { attempts: 1 } });
      await until(async () => expect((await world.configMap('stays'))?.['data']).toEqual({ a: '2' }));
    });

    test('binds no Secret and nothing of another namespace', async () => {
      const secret = { key: 'secret', resource: { kind: 'Secret' } };
      await synthesizer('curious', { image: 'synthesizer:1', refs: [secret] });
      const bindings = [{ key: 'secret', resource: { name: 'token' } }];
      const owner = await compose('curious', { spec: { synthesizer: { name: 'curious' }, bindings } });
      await untilStatus(owner, { simplified: { error: 'input secret: a Secret cannot be an input' } });

      const map = { key: 'map', resource: { kind: 'ConfigMap' } };
      await synthesizer('far', { image: 'synthesizer:1', refs: [map] });
      const elsewhere = [{ key: 'map', resource: { name: 'map', namespace: 'kube-system' } }];
      const other = await compose('far', { spec: { synthesizer: { name: 'far' }, bindings: elsewhere } });
      const error = `input map: only objects of the namespace ${arena.namespace} can be bound`;
      await untilStatus(other, { simplified: { error } });
    });
  });
}
