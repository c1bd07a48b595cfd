import { compareText, type JsonObject, type KubeObject, type ManagedFieldsEntry } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../kit/testing/value-at.ts';
import { configMap, container, deployment, fieldsOf } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const INIT = 'spec.template.spec.initContainers';
const setup = container('base-os-bash', 'b:1', { command: ['sh'] });

/** What is not taken, and what happens when several want to take at once, on any server. */
export function guardsContract(server: () => ServerUnderTest): void {
  describe('ownership guards', () => {
    const arena = useArena(server);
    const adopt = { mode: 'adopt' } as const;
    const status = { type: 'merge', subresource: 'status' } as const;

    function applyStatus(name: string, fieldManager: string): Promise<KubeObject> {
      const type = 'Ready';
      const condition = { type, status: 'True', reason: 'Seen', message: '' };
      const { apiVersion, kind } = deployment(name);
      const object: KubeObject = {
        apiVersion,
        kind,
        metadata: { name, namespace: arena.namespace },
        status: { conditions: [condition] },
      };
      const ref = { group: 'apps', version: 'v1', kind };
      return arena.client.apply(ref, object, { fieldManager, force: true, subresource: 'status' });
    }

    test('OWN-T29 adopting what the manifest does not ask for is blocked with a preview, or resets it when allowed', async () => {
      await arena.create(deployment('t29', {}, { strategy: { type: 'Recreate' } }), 'legacy');
      const before = await arena.apply(deployment('t29'), 'eno');
      const scopes = [['spec.strategy']];

      const blocked = await arena.reconcile(deployment('t29'), { ...adopt, scopes });
      expect(blocked.state).toMatchObject({
        reconciled: false,
        ownership: { state: 'Blocked', reason: 'Prune' },
      });
      expect(blocked.state.reconciliationError).toContain('.spec.strategy.type (now "Recreate")');

      await arena.reconcile(deployment('t29'), { ...adopt, scopes, allowPrune: true });
      const after = await arena.get(before);
      expect(valueAt(after, 'spec.strategy.type')).toBe('RollingUpdate');
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
    });

    test('OWN-T30 adopting default values changes no generation', async () => {
      await arena.create(deployment('t30'), 'legacy');
      const before = await arena.apply(deployment('t30'), 'eno');

      const result = await arena.reconcile(deployment('t30'), {
        ...adopt,
        scopes: [['spec.template.spec.dnsPolicy']],
        allowPrune: true,
      });

      expect(result.state.ownership?.state).toBe('Moved');
      expect((await arena.get(before)).metadata.generation).toBe(before.metadata.generation);
    });

    test('OWN-T31 replicas that are scaled are not adopted', async () => {
      await arena.create(deployment('t31', {}, { replicas: 2 }), 'legacy');
      await arena.apply(deployment('t31'), 'eno');
      const scale = { type: 'merge', subresource: 'scale' } as const;
      await arena.patch(deployment('t31'), { spec: { replicas: 5 } }, 'kube-controller-manager', scale);
      const scaled = await arena.get(deployment('t31'));
      const ofScale = (object: KubeObject) => entriesOf(object, 'scale').map(({ fieldsV1 }) => fieldsV1);

      const { state } = await arena.reconcile(deployment('t31'), { ...adopt, allowPrune: true });

      const after = await arena.get(deployment('t31'));
      expect(state.ownership?.state).toBe('Moved');
      expect(valueAt(after, 'spec.replicas')).toBe(5);
      expect(ofScale(after)).toEqual([{ 'f:spec': { 'f:replicas': {} } }]);
      expect(ofScale(scaled)).toEqual(ofScale(after));
    });

    test('OWN-T31 without that guard an apply resets replicas that were taken from the scale', async () => {
      await arena.create(deployment('t31b', {}, { replicas: 2 }), 'legacy');
      await arena.apply(deployment('t31b'), 'eno');
      const scale = { type: 'merge', subresource: 'scale' } as const;
      const body = { spec: { replicas: 5 } };
      await arena.patch(deployment('t31b'), body, 'kube-controller-manager', scale);
      const live = await arena.get(deployment('t31b'));
      const replicas = { 'f:replicas': {} };
      const taken = (live.metadata.managedFields ?? []).flatMap((entry) => {
        if (entry.subresource === 'scale') return [];
        if (entry.manager !== 'eno') return [entry];
        const spec = { ...(entry.fieldsV1?.['f:spec'] as JsonObject), ...replicas };
        return [{ ...entry, fieldsV1: { ...entry.fieldsV1, 'f:spec': spec } }];
      });
      await arena.rewrite(deployment('t31b'), taken);

      expect(valueAt(await arena.apply(deployment('t31b'), 'eno'), 'spec.replicas')).toBe(1);
    });

    test('OWN-T32 replicas that nobody owns stay as they were scaled', async () => {
      await arena.apply(deployment('t32'), 'eno');
      const scale = { type: 'merge', subresource: 'scale' } as const;
      await arena.patch(deployment('t32'), { spec: { replicas: 5 } }, 'kube-controller-manager', scale);

      await arena.reconcile(deployment('t32', { labels: { a: '1' } }));

      const after = await arena.get(deployment('t32'));
      expect(valueAt(after, 'spec.replicas')).toBe(5);
      expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['eno']);
    });

    test('OWN-T33 the volume of a claim is protected; without that, an apply of the claim is rejected', async () => {
      const claim = (more: object = {}): KubeObject => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 't33' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
      });
      await arena.apply(claim({ storageClassName: '' }), 'eno');
      const bound = { spec: { volumeName: 'pv-1' } };
      await arena.patch(claim(), bound, 'kube-controller-manager', { type: 'merge' });

      const { state } = await arena.reconcile(claim({ storageClassName: '' }), {
        ...adopt,
        allowPrune: true,
      });
      expect(state).toMatchObject({ reconciled: true });
      const after = await arena.get(claim());
      expect(valueAt(after, 'spec.volumeName')).toBe('pv-1');
      expect(JSON.stringify(fieldsOf(after, 'kube-controller-manager'))).toContain('f:volumeName');

      const allowed = { ...adopt, allowPrune: true, allowProtected: ['spec.volumeName'] };
      const unguarded = await arena.reconcile(claim({ storageClassName: '' }), allowed);
      expect(unguarded.state).toMatchObject({ reconciled: true, ownership: { state: 'RolledBack' } });
      expect(unguarded.state.ownership?.message).toContain('spec is immutable');
      expect(valueAt(await arena.get(claim()), 'spec.volumeName')).toBe('pv-1');
    });

    test('OWN-T35 what an override to null leaves to another manager is not adopted, until the override goes', async () => {
      await arena.apply(configMap('t35', { a: '1' }), 'eno');
      const theirs = { data: { foo: 'theirs' } };
      await arena.patch(configMap('t35'), theirs, 'other', { type: 'merge' });
      const override = {
        path: 'self.data.foo',
        value: null,
        condition: 'has(self.data.foo) && !pathManagedByEno',
      };
      const annotations = { 'eno.azure.io/overrides': JSON.stringify([override]) };
      const policy = { ...adopt, scopes: [['data']], allowPrune: true };

      const { state } = await arena.reconcile(configMap('t35', { a: '2' }, { annotations }), policy);
      expect(state).toMatchObject({ reconciled: true });
      const kept = await arena.get(configMap('t35'));
      expect(kept['data']).toEqual({ a: '2', foo: 'theirs' });
      expect(JSON.stringify(fieldsOf(kept, 'other'))).toContain('f:foo');

      await arena.reconcile(configMap('t35', { a: '2' }), policy);
      expect((await arena.get(configMap('t35')))['data']).toEqual({ a: '2' });
    });

    test('OWN-T35 a field that was taken from us and is then left to its owner is not removed', async () => {
      const override = {
        path: 'self.data.foo',
        value: null,
        condition: 'has(self.data.foo) && !pathManagedByEno',
      };
      const annotations = { 'eno.azure.io/overrides': JSON.stringify([override]) };
      const first = await arena.reconcile(configMap('t35b', { a: '1', foo: 'ours' }));
      await arena.patch(configMap('t35b'), { data: { foo: 'theirs' } }, 'other', { type: 'merge' });

      const wanted = configMap('t35b', { a: '1', foo: 'ours' }, { annotations });
      await arena.reconcile(wanted, {}, first.state);
      expect((await arena.get(configMap('t35b')))['data']).toEqual({ a: '1', foo: 'theirs' });
    });

    test('OWN-T34 a label outside the scope that is dropped in the same revision goes too', async () => {
      const labels = { keep: '1', drop: '1' };
      await arena.create(deployment('t34', { init: [setup] }), 'Go-http-client');
      await arena.apply(deployment('t34', { init: [container('base-os-bash', 'b:2')], labels }), 'eno');

      await arena.reconcile(deployment('t34', { labels: { keep: '1' } }), { scopes: [[INIT]] });

      const after = await arena.get(deployment('t34'));
      expect(valueAt(after, INIT)).toBeUndefined();
      expect(after.metadata.labels).toEqual({ keep: '1' });
    });

    test('OWN-T36 the last-applied annotation is not adopted with the other annotations', async () => {
      const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
      const annotations = { [lastApplied]: '{}', mine: '1' };
      await arena.create(configMap('t36', { x: '1' }, { annotations }), 'kubectl-client-side-apply');
      await arena.apply(configMap('t36', { x: '1' }), 'eno');

      await arena.reconcile(configMap('t36', { x: '1' }), {
        ...adopt,
        scopes: [['metadata.annotations']],
        allowPrune: true,
      });

      const after = await arena.get(configMap('t36'));
      expect(after.metadata.annotations).toEqual({ [lastApplied]: '{}' });
      expect(JSON.stringify(fieldsOf(after, 'kubectl-client-side-apply'))).toContain(lastApplied);
    });

    test('OWN-T38 entries of the status are the same before and after, also those of an applier', async () => {
      await arena.create(deployment('t38', { init: [setup] }), 'Go-http-client');
      await arena.apply(deployment('t38', { init: [container('base-os-bash', 'b:2')] }), 'eno');
      await arena.patch(deployment('t38'), { status: { replicas: 1 } }, 'kube-controller-manager', status);
      const before = await applyStatus('t38', 'monitor');

      const result = await arena.reconcile(deployment('t38'));

      const after = await arena.get(deployment('t38'));
      expect(result.state).toMatchObject({ reconciled: true, ownership: { state: 'Moved' } });
      expect(JSON.stringify(entriesOf(after, 'status'))).toBe(JSON.stringify(entriesOf(before, 'status')));
      expect(JSON.stringify(after['status'])).toBe(JSON.stringify(before['status']));
      expect(entriesOf(after, 'status').map(({ operation }) => operation)).toEqual(['Apply', 'Update']);
    });

    test('OWN-T40 of four that migrate at once, one does and the others find it done', async () => {
      await arena.create(deployment('t40', { init: [setup] }), 'Go-http-client');
      const before = await arena.apply(
        deployment('t40', { init: [container('base-os-bash', 'b:2')] }),
        'eno',
      );

      arena.writes();

      const results = await Promise.all(Array.from({ length: 4 }, () => arena.reconcile(deployment('t40'))));

      const rewrites = arena.accepted().filter((write) => !write.includes('force=true'));
      expect(rewrites).toEqual([expect.stringMatching(/^PATCH .*deployments\/t40/)]);
      expect(results.map(({ state }) => state.reconciled)).toEqual([true, true, true, true]);
      const migrations = results
        .flatMap(({ events }) => events)
        .filter(({ reason }) => reason === 'OwnershipMigrated');
      expect(migrations).toHaveLength(1);
      const after = await arena.get(deployment('t40'));
      expect(valueAt(after, INIT)).toBeUndefined();
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
    });

    test('OWN-T46 what was there before the first apply is a source like any other', async () => {
      const live = await arena.create(configMap('t46', { x: '1', y: '2' }), 'legacy');
      await arena.rewrite(live, [{}]);
      const first = await arena.apply(configMap('t46', { x: '1', y: '2' }), 'eno');
      expect(first.metadata.managedFields?.map(({ manager }) => manager)).toContain('before-first-apply');

      const result = await arena.reconcile(configMap('t46', { x: '1' }));

      expect(result.state.ownership?.managers).toEqual(['before-first-apply (Update)']);
      expect((await arena.get(live))['data']).toEqual({ x: '1' });
    });

    // A server gives this name to the entries of updaters beyond the tenth.
    test('OWN-T46 so are the updaters that the server has merged into one', async () => {
      const live = await arena.create(configMap('t46b', { x: '1', y: '2' }), 'legacy');
      await arena.apply(configMap('t46b', { x: '1', y: '2' }), 'eno');
      for (let nth = 0; nth < 11; nth++)
        await arena.patch(live, { metadata: { labels: { [`l${nth}`]: 'x' } } }, `tool-${nth}`);
      expect(Object.keys(fieldsOf(await arena.get(live), 'ancient-changes') ?? {})).toContain('f:data');

      const result = await arena.reconcile(configMap('t46b', { x: '1' }));

      expect(result.state.ownership?.managers).toEqual(['ancient-changes (Update)']);
      expect((await arena.get(live))['data']).toEqual({ x: '1' });
    });

    test('OWN-T51 entries of our own name under other operations cause no writes', async () => {
      await arena.apply(deployment('t51', { labels: { a: '1' } }), 'eno');
      await arena.patch(deployment('t51'), { metadata: { annotations: { b: '2' } } }, 'eno', {
        type: 'merge',
      });
      await arena.patch(deployment('t51'), { status: { observedGeneration: 1 } }, 'eno', status);
      await applyStatus('t51', 'eno');
      const first = await arena.reconcile(deployment('t51', { labels: { a: '1' } }));
      const before = await arena.get(deployment('t51'));
      arena.writes();

      await arena.reconcile(deployment('t51', { labels: { a: '1' } }), {}, first.state);

      expect(arena.writes()).toEqual([]);
      expect((await arena.get(before)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });
  });
}

/** The entries of a subresource, in the order of their operations. */
function entriesOf(object: KubeObject, of: string): readonly ManagedFieldsEntry[] {
  return (object.metadata.managedFields ?? [])
    .filter(({ subresource }) => subresource === of)
    .sort((one, other) => compareText(one.operation ?? '', other.operation ?? ''));
}
