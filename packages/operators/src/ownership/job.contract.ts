import { keyOf } from '@kubewright/client';
import { type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { describe, expect, test, vi } from 'vitest';
import { type Composition, COMPOSITIONS, RESOURCE_SLICES, type ResourceSlice } from './api.ts';
import { valueAt } from '../kit/testing/value-at.ts';
import { container, deployment, fieldsOf } from './testing/objects.ts';
import { refusal, type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const INIT = 'spec.template.spec.initContainers';
const WITHIN = { timeout: 30_000, interval: 20 };

/** The main job, whole: a user writes a slice, the manager's operator does the rest. */
export function jobContract(server: () => ServerUnderTest): void {
  describe('removing an init container through a ResourceSlice', () => {
    const arena = useArena(server, { apiGroups: ['apps'], resources: ['deployments'] });
    const { operator } = arena;

    async function compose(name: string): Promise<Stored<Composition>> {
      const metadata = { name, namespace: arena.namespace };
      return arena.client.create(COMPOSITIONS, {
        apiVersion: 'eno.azure.io/v1',
        kind: 'Composition',
        metadata,
        spec: {},
      });
    }

    function manifests(...objects: readonly KubeObject[]) {
      const inNamespace = (object: KubeObject) => ({
        ...object,
        metadata: { ...object.metadata, namespace: arena.namespace },
      });
      return { resources: objects.map((object) => ({ manifest: JSON.stringify(inNamespace(object)) })) };
    }

    async function slice(
      owner: Stored<Composition>,
      ...objects: readonly KubeObject[]
    ): Promise<ResourceSlice> {
      const { name } = owner.metadata;
      const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
      return arena.client.create(RESOURCE_SLICES, {
        apiVersion: 'eno.azure.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: `${name}-1`, namespace: arena.namespace, ownerReferences },
        spec: manifests(...objects),
      });
    }

    /** The slice, once the operator has said something of its generation. */
    function reported(of: ResourceSlice, generation = of.metadata.generation): Promise<ResourceSlice> {
      return vi.waitFor(async () => {
        const current = await arena.client.get(RESOURCE_SLICES, keyOf(of));
        expect(current.status?.observedGeneration).toBe(generation);
        expect(
          current.status?.resources?.every((state) => state.reconciled === true || state.reconciliationError),
        ).toBe(true);
        return current;
      }, WITHIN);
    }

    async function split(name: string): Promise<KubeObject> {
      const created = container('base-os-bash', 'b:1', { command: ['sh'] });
      const labels = { team: 'a' };
      await arena.create(deployment(name, { init: [created], labels }, { replicas: 5 }), 'Go-http-client');
      return arena.apply(deployment(name, { init: [container('base-os-bash', 'b:2')] }), 'eno');
    }

    test('the removal that was refused is done, and everything else is as it was', async () => {
      const before = await split('web');
      const refused = await refusal(arena.apply(deployment('web'), 'eno', true));
      expect(refused.message).toContain('spec.template.spec.initContainers[0].image: Required value');

      const owner = await compose('shop');
      const done = await reported(await slice(owner, deployment('web')));

      const after = await arena.get(before);
      expect(done.status?.resources).toMatchObject([
        {
          reconciled: true,
          ready: expect.any(String),
          ownership: { state: 'Moved', managers: ['Go-http-client (Update)'] },
        },
      ]);
      expect(valueAt(after, INIT)).toBeUndefined();
      expect(valueAt(after, 'spec.replicas')).toBe(5);
      expect(valueAt(after, 'spec.template.spec.containers')).toEqual(
        valueAt(before, 'spec.template.spec.containers'),
      );
      expect(after.metadata.labels).toEqual({ team: 'a' });
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
      expect(fieldsOf(after, 'Go-http-client')).toMatchObject({
        'f:metadata': {},
        'f:spec': { 'f:replicas': {} },
      });
      expect(JSON.stringify(fieldsOf(after, 'Go-http-client'))).not.toContain('base-os-bash');
    });

    test('the Composition says which slices it stands for, and that they are ready', async () => {
      const owner = await compose('listed');
      await slice(owner, deployment('listed'));

      await vi.waitFor(async () => {
        const { status } = await arena.client.get(COMPOSITIONS, keyOf(owner));
        expect(status).toMatchObject({
          simplified: { status: 'Ready' },
          currentSynthesis: {
            resourceSlices: [{ name: 'listed-1' }],
            observedCompositionGeneration: 1,
            synthesized: expect.any(String),
            reconciled: expect.any(String),
            ready: expect.any(String),
          },
        });
      }, WITHIN);
    });

    test('a change of the slice is applied, and a tombstone in it deletes', async () => {
      const owner = await compose('changed');
      const first = await slice(owner, deployment('changed', {}, { replicas: 1 }));
      await reported(first);

      const scaled = manifests(deployment('changed', {}, { replicas: 3 }));
      const update = async (spec: object): Promise<void> => {
        const body = { spec: spec as never };
        await arena.client.patch(RESOURCE_SLICES, keyOf(first), { type: 'merge', body });
      };
      await update(scaled);
      await reported(first, 2);
      expect(valueAt(await arena.get(deployment('changed')), 'spec.replicas')).toBe(3);

      await update({ resources: scaled.resources.map((resource) => ({ ...resource, deleted: true })) });
      const gone = await reported(first, 3);
      expect(gone.status?.resources).toMatchObject([{ reconciled: true, deleted: true }]);
      expect((await refusal(arena.get(deployment('changed')))).code).toBe(404);
    });

    test('one object that is refused does not keep the others from being applied', async () => {
      const owner = await compose('partly');
      const broken = {
        ...deployment('broken'),
        spec: { selector: { matchLabels: { app: 'other' } } },
      } as KubeObject;

      const written = await slice(owner, broken, deployment('valid'));
      const done = await reported(written);
      await arena.client.delete(RESOURCE_SLICES, keyOf(written));

      expect(done.status?.resources).toMatchObject([
        { reconciled: false, reconciliationError: expect.stringContaining('spec.template') },
        { reconciled: true },
      ]);
    });

    test('a slice that no Composition controls is not applied', async () => {
      const stray: ResourceSlice = {
        apiVersion: 'eno.azure.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: 'stray', namespace: arena.namespace },
        spec: manifests(deployment('stray')),
      };
      await arena.client.create(RESOURCE_SLICES, stray);
      const owner = await compose('witness');
      await reported(await slice(owner, deployment('witness')));

      expect((await refusal(arena.get(deployment('stray')))).code).toBe(404);
    });

    test('every decision is counted', async () => {
      const owner = await compose('counted');
      await reported(await slice(owner, deployment('counted')));
      const text = await operator.manager.registry.metrics();
      expect(text).toMatch(/kubewright_decisions_total\{controller="composition",reason="Synthesized"\} \d/);
      expect(text).toMatch(/kubewright_decisions_total\{controller="resourceslice",reason="Create"\} \d/);
    });

    test('when all is done, another pass writes nothing', async () => {
      await split('quiet');
      const owner = await compose('quiet');
      const done = await reported(await slice(owner, deployment('quiet')));
      await vi.waitFor(async () => {
        const { status } = await arena.client.get(COMPOSITIONS, keyOf(owner));
        expect(status?.simplified?.status).toBe('Ready');
      }, WITHIN);
      const before = await arena.get(deployment('quiet'));

      arena.writes();
      // A new manager looks at everything anew.
      await operator.restart();
      const { manager } = operator;
      await vi.waitFor(() => expect(manager.health().ready && manager.idle()).toBe(true), WITHIN);

      expect(arena.writes()).toEqual([]);
      expect((await arena.get(before)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      const after = await arena.client.get(RESOURCE_SLICES, keyOf(done));
      expect(after.metadata.resourceVersion).toBe(done.metadata.resourceVersion);
    });
  });
}
