import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../kit/testing/value-at.ts';
import { container, deployment, fieldsAt, fieldsOf, fieldsWithout, names } from './testing/objects.ts';
import { refusal, type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const INIT = 'spec.template.spec.initContainers';

/** As a client created it that knew nothing of server-side apply, and as `eno` then applied it. */
const created = container('base-os-bash', 'b:1', { command: ['sh'] });
const upgraded = container('base-os-bash', 'b:2');
const sibling = container('keep', 'k:1');

/** Moving claims so that a removal happens, on any server. */
export function migrationContract(server: () => ServerUnderTest): void {
  describe('ownership migration', () => {
    const arena = useArena(server);

    /** Created whole by Go-http-client, then applied by eno: both own parts of the init container. */
    async function split(
      name: string,
      more: readonly JsonObject[] = [],
      spec: JsonObject = {},
    ): Promise<KubeObject> {
      await arena.create(deployment(name, { init: [created, ...more] }), 'Go-http-client');
      const live = await arena.apply(deployment(name, { init: [upgraded, ...more] }, spec), 'eno');
      arena.writes();
      return live;
    }

    test('OWN-T12 without a migration the removal is refused', async () => {
      await split('t12');

      const error = await refusal(arena.apply(deployment('t12'), 'eno', true));

      expect(error.code).toBe(422);
      expect(error.message).toBe(
        'Deployment.apps "t12" is invalid: spec.template.spec.initContainers[0].image: Required value',
      );
    });

    test('OWN-T13 the literal algorithm of the design leaves ownership shared and prunes our other fields', async () => {
      const labels = { team: 'a' };
      const spec = { replicas: 3, paused: true };
      await arena.create(deployment('t13', { init: [created] }), 'Go-http-client');
      await arena.apply(deployment('t13', { init: [upgraded], labels }, spec), 'eno');

      // Its migration step: apply the live content of the scope, and nothing else, with force.
      const live = await arena.get(deployment('t13'));
      const scope = { template: { spec: { initContainers: valueAt(live, INIT) ?? [] } } };
      const migrated = await arena.apply({ ...deployment('t13'), spec: scope }, 'eno');
      const error = await refusal(arena.apply(deployment('t13', { labels }, spec), 'eno', true));

      expect(error.message).toContain('initContainers[0].image: Required value');
      expect(valueAt(migrated, 'spec.replicas')).toBe(1);
      expect(valueAt(migrated, 'spec.paused')).toBeUndefined();
      expect(migrated.metadata.labels).toBeUndefined();

      // The operator, from the same start, does neither.
      await arena.apply(deployment('t13', { init: [upgraded], labels }, spec), 'eno');
      const result = await arena.reconcile(deployment('t13', { labels }, spec));
      const after = await arena.get(deployment('t13'));
      expect(result.state).toMatchObject({ reconciled: true, ownership: { state: 'Moved' } });
      expect(valueAt(after, INIT)).toBeUndefined();
      expect(valueAt(after, 'spec.replicas')).toBe(3);
      expect(valueAt(after, 'spec.paused')).toBe(true);
      expect(after.metadata.labels).toEqual(labels);
    });

    test('OWN-T14 adopting the scope and then applying removes the item, with one new generation', async () => {
      const before = await split('t14', [], { replicas: 2 });

      const result = await arena.reconcile(deployment('t14', {}, { replicas: 2 }), {
        mode: 'adopt',
        scopes: [['spec.template.spec.initContainers']],
      });

      const after = await arena.get(before);
      expect(result.state.reconciled).toBe(true);
      expect(valueAt(after, INIT)).toBeUndefined();
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
      // What the source owned outside the scope it still owns.
      const legacy = fieldsOf(after, 'Go-http-client');
      expect(legacy).toEqual(
        fieldsWithout(fieldsOf(before, 'Go-http-client'), [
          'f:spec',
          'f:template',
          'f:spec',
          'f:initContainers',
        ]),
      );
    });

    test('OWN-T15 minimal mode takes the item from an updater and an applier and leaves its sibling alone', async () => {
      await split('t15', [sibling]);
      await arena.apply(
        partial('t15', { initContainers: [{ name: 'base-os-bash', command: ['sh'] }] }),
        'otherapply',
      );
      const before = await arena.get(deployment('t15'));
      arena.writes();

      const result = await arena.reconcile(deployment('t15', { init: [sibling] }));

      const after = await arena.get(before);
      expect(result.state.ownership?.managers).toEqual(
        expect.arrayContaining(['Go-http-client (Update)', 'otherapply (Apply)']),
      );
      expect(names(after, INIT)).toEqual(['keep']);
      expect(claimsOf(after, 'Go-http-client')['k:{"name":"keep"}']).toEqual(
        claimsOf(before, 'Go-http-client')['k:{"name":"keep"}'],
      );
      expect(arena.writes()).toHaveLength(2);
    });

    test('OWN-T16 the list goes with its only item, and stays with an item of somebody else', async () => {
      await split('t16a');
      await arena.reconcile(deployment('t16a'));
      expect(valueAt(await arena.get(deployment('t16a')), INIT)).toBeUndefined();

      await arena.create(deployment('t16b', { init: [created, sibling] }), 'Go-http-client');
      await arena.apply(deployment('t16b', { init: [upgraded] }), 'eno');
      const before = await arena.get(deployment('t16b'));
      await arena.reconcile(deployment('t16b'));
      const after = await arena.get(before);
      expect(names(after, INIT)).toEqual(['keep']);
      expect(claimsOf(after, 'Go-http-client')['k:{"name":"keep"}']).toEqual(
        claimsOf(before, 'Go-http-client')['k:{"name":"keep"}'],
      );
    });

    test('OWN-T17 an updater that owns only a field of the item does not block, so nothing is rewritten', async () => {
      await arena.apply(deployment('t17', { init: [upgraded] }), 'eno');
      await arena.patch(deployment('t17'), partial('t17', { initContainers: [created] }), 'tool');
      arena.writes();

      const result = await arena.reconcile(deployment('t17'));

      expect(result.state).toMatchObject({ reconciled: true });
      expect(result.state.ownership).toBeUndefined();
      expect(arena.writes()).toEqual([expect.stringContaining('PATCH /apis/apps/v1/')]);
      expect(valueAt(await arena.get(deployment('t17')), INIT)).toBeUndefined();
    });

    test('OWN-T18 an item that another applier also applies is taken from it', async () => {
      await arena.apply(deployment('t18', { init: [upgraded] }), 'eno');
      await arena.apply(
        partial('t18', { initContainers: [{ name: 'base-os-bash', command: ['sh'] }] }),
        'other',
      );
      const refused = await refusal(arena.apply(deployment('t18'), 'eno', true));
      expect(refused.message).toContain('initContainers[0].image: Required value');

      const result = await arena.reconcile(deployment('t18'));

      expect(result.state.ownership).toMatchObject({ state: 'Moved', managers: ['other (Apply)'] });
      expect(valueAt(await arena.get(deployment('t18')), INIT)).toBeUndefined();
    });

    test('OWN-T19 where nobody owns the item itself, our claim on it is completed first', async () => {
      const live = await arena.apply(deployment('t19', { init: [upgraded, sibling] }), 'eno');
      await arena.rewrite(live, withoutMembership(live, 'base-os-bash'));
      const refused = await refusal(arena.apply(deployment('t19', { init: [sibling] }), 'eno', true));
      expect(refused.code).toBe(422);

      const result = await arena.reconcile(deployment('t19', { init: [sibling] }));

      expect(result.state).toMatchObject({ reconciled: true, ownership: { state: 'Moved', managers: [] } });
      expect(names(await arena.get(live), INIT)).toEqual(['keep']);
    });

    test('OWN-T28 only the items that the scope names are taken; the others stay and are reported', async () => {
      const [a, b] = [container('aks-setup', 'a:1'), container('vendor', 'v:1')];
      await arena.create(deployment('t28', { init: [a, b] }), 'Go-http-client');
      await arena.apply(deployment('t28', { init: [a, b] }), 'eno');

      const result = await arena.reconcile(deployment('t28'), {
        scopes: [['spec.template.spec.initContainers[name=~"aks-*"]']],
      });

      const after = await arena.get(deployment('t28'));
      expect(names(after, INIT)).toEqual(['vendor']);
      expect(result.state.ownership?.message).toContain('vendor');
      expect(result.state.ownership?.state).toBe('Left');
    });

    test('a second pass writes nothing', async () => {
      await split('again');
      const first = await arena.reconcile(deployment('again'));
      const before = await arena.get(deployment('again'));
      arena.writes();

      const second = await arena.reconcile(deployment('again'), {}, first.state);

      expect(second.reason).toBe('InSync');
      expect(second.state).toEqual(first.state);
      expect(arena.writes()).toEqual([]);
      expect((await arena.get(before)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    test('observing reports what would be moved and moves nothing', async () => {
      await split('observed');

      const result = await arena.reconcile(deployment('observed'), { mode: 'observe' });

      expect(result.state).toMatchObject({ reconciled: false, ownership: { state: 'Observed' } });
      expect(result.state.reconciliationError).toContain('image: Required value');
      expect(result.state.ownership?.message).toContain('Go-http-client');
      expect(arena.writes()).toEqual([]);
    });

    test('OWN-T37 an owner that is not a listed source blocks the removal, and nothing is written', async () => {
      await split('unlisted');

      const result = await arena.reconcile(deployment('unlisted'), { sources: [['kubectl*']] });

      expect(result.state).toMatchObject({
        reconciled: false,
        ownership: { state: 'Blocked', reason: 'Unlisted' },
      });
      expect(result.state.reconciliationError).toContain('Go-http-client');
      expect(arena.writes()).toEqual([]);
    });
  });
}

/** An apply configuration of part of a Deployment's pod. */
function partial(name: string, pod: JsonObject): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { template: { spec: pod } } };
}

/** What a manager's Update entry claims of the init containers. */
function claimsOf(object: KubeObject, manager: string): JsonObject {
  return fieldsAt(fieldsOf(object, manager), ['f:spec', 'f:template', 'f:spec', 'f:initContainers']) ?? {};
}

/** The object's managedFields, with nobody owning the membership of one init container. */
function withoutMembership(object: KubeObject, item: string) {
  const key = `k:{"name":"${item}"}`;
  return (object.metadata.managedFields ?? []).map((entry) => {
    const fields = structuredClone(entry.fieldsV1 ?? {});
    const node = fieldsAt(fields, ['f:spec', 'f:template', 'f:spec', 'f:initContainers', key]) as
      | Record<string, unknown>
      | undefined;
    if (node !== undefined) delete node['.'];
    return { ...entry, fieldsV1: fields };
  });
}
