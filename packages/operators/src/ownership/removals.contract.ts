import assert from 'node:assert/strict';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../kit/testing/value-at.ts';
import {
  configMap,
  container,
  deployment,
  fieldsAt,
  fieldsOf,
  fieldsWithout,
  names,
} from './testing/objects.ts';
import { refusal, type ServerUnderTest, useArena } from './testing/server-under-test.ts';

/** What a removal takes with it, and what it leaves to others: map keys, finalizers, ports, volumes, whole objects. */
export function removalsContract(server: () => ServerUnderTest): void {
  describe('ownership migration', () => {
    const arena = useArena(server);

    test('OWN-T20 a removal that would take elements nobody owns with it is blocked', async () => {
      await arena.create(configMap('t20', { x: '1', z: '9' }), 'legacy');
      const live = await arena.apply(configMap('t20', { x: '1' }), 'eno');
      const [own] = live.metadata.managedFields?.filter(({ manager }) => manager === 'eno') ?? [];
      assert(own !== undefined, 'eno owns nothing');
      const late = { manager: 'late', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
      // z has no owner; x is shared with somebody.
      await arena.rewrite(live, [own, { ...late, fieldsV1: { 'f:data': { 'f:x': {} } } }]);
      arena.writes();

      const result = await arena.reconcile(configMap('t20'));

      expect(result.state).toMatchObject({
        reconciled: false,
        ownership: { state: 'Blocked', reason: 'Collateral' },
      });
      expect(arena.writes()).toEqual([]);
      expect((await arena.get(live))['data']).toEqual({ x: '1', z: '9' });
    });

    test('OWN-T21 a map key that somebody else still owns is noticed without an error, and goes', async () => {
      await arena.create(configMap('t21', { x: '1', y: '2' }), 'legacy');
      await arena.apply(configMap('t21', { x: '1', y: '2' }), 'eno');
      const unmigrated = await arena.apply(configMap('t21', { x: '1' }), 'eno', true);
      expect(unmigrated['data']).toEqual({ x: '1', y: '2' });

      const result = await arena.reconcile(configMap('t21', { x: '1' }));

      const after = await arena.get(configMap('t21'));
      expect(result.state.ownership).toMatchObject({ state: 'Moved', paths: ['.data.y'] });
      expect(after['data']).toEqual({ x: '1' });
      expect(fieldsOf(after, 'legacy')).toEqual({ 'f:data': { '.': {}, 'f:x': {} } });
    });

    test('OWN-T22 a shared finalizer stays and is reported', async () => {
      await arena.apply(configMap('t22', { x: '1' }, { finalizers: ['a.io/x', 'b.io/y'] }), 'legacy');
      await arena.apply(configMap('t22', { x: '1' }, { finalizers: ['a.io/x'] }), 'eno');

      const result = await arena.reconcile(configMap('t22', { x: '1' }));

      const after = await arena.get(configMap('t22'));
      expect(after.metadata.finalizers).toEqual(['a.io/x', 'b.io/y']);
      expect(result.state).toMatchObject({ reconciled: true, ownership: { state: 'Left' } });
      expect(result.state.ownership?.message).toContain('a.io/x');
      const again = await arena.reconcile(configMap('t22', { x: '1' }), {}, result.state);
      expect(again.state).toEqual(result.state);
      await arena.patch(after, { metadata: { finalizers: null } }, 'cleanup', { type: 'merge' });
    });

    test('OWN-T23 dropping one protocol of a port leaves the other alone', async () => {
      const tcp = { name: 'dns-tcp', port: 53, protocol: 'TCP' };
      const udp = { name: 'dns', port: 53, protocol: 'UDP' };
      await arena.create(service('t23', [tcp, udp]), 'legacy');
      await arena.apply(service('t23', [tcp, udp]), 'eno');
      const before = await arena.get(service('t23', []));

      const result = await arena.reconcile(service('t23', [tcp]));

      const after = await arena.get(before);
      expect(result.state.ownership?.paths).toEqual(['.spec.ports[port=53,protocol="UDP"]']);
      expect(names(after, 'spec.ports')).toEqual(['dns-tcp']);
      const rest = ({ spec }: KubeObject) => ({ ...(spec as JsonObject), ports: tcp });
      expect(rest(after)).toEqual(rest(before));
      const dropped = ['f:spec', 'f:ports', 'k:{"port":53,"protocol":"UDP"}'];
      for (const [manager, operation] of [
        ['legacy', 'Update'],
        ['eno', 'Apply'],
      ] as const) {
        const claims = fieldsOf(before, manager, operation);
        expect(fieldsAt(claims, dropped)).toBeDefined();
        expect(fieldsOf(after, manager, operation)).toEqual(fieldsWithout(claims, dropped));
      }
    });

    test.each([
      ['the same order', false],
      ['another order', true],
    ])('OWN-T25 a container, its mounts and their volume go together, applied in %s', async (_, isTurned) => {
      const name = isTurned ? 't25-turned' : 't25';
      const volumes = [{ name: 'scratch', emptyDir: {} }];
      const mount = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
      const web = container('web', 'nginx:1');
      const helper = container('helper', 'h:1', mount);
      const other = container('other', 'o:1');
      const created = [{ ...web, ...mount }, helper, other];
      await arena.create(deployment(name, { containers: created, volumes }), 'Go-http-client');
      const applied = [{ ...web, ...mount }, { ...helper, image: 'h:2' }, other];
      const turned = isTurned ? applied.toReversed() : applied;
      await arena.apply(deployment(name, { containers: turned, volumes }), 'eno');
      arena.writes();

      const result = await arena.reconcile(
        deployment(name, { containers: isTurned ? [other, web] : [web, other] }),
      );

      const after = await arena.get(deployment(name));
      const inPod = '.spec.template.spec';
      expect(result.state).toMatchObject({ reconciled: true, ownership: { state: 'Moved' } });
      expect(result.state.ownership?.paths?.toSorted()).toEqual([
        `${inPod}.containers[name="helper"]`,
        `${inPod}.containers[name="web"].volumeMounts[mountPath="/scratch"]`,
        `${inPod}.volumes[name="scratch"]`,
      ]);
      expect(arena.writes()).toHaveLength(2);
      const containers = valueAt(after, 'spec.template.spec.containers') as readonly JsonObject[];
      expect(containers.map((one) => one['name'])).toEqual(isTurned ? ['other', 'web'] : ['web', 'other']);
      expect(containers.map((one) => one['volumeMounts'])).toEqual([undefined, undefined]);
      expect(valueAt(after, 'spec.template.spec.volumes')).toBeUndefined();
    });

    test('a tombstone deletes the object, and a second pass has nothing to do', async () => {
      await arena.apply(configMap('tomb', { x: '1' }), 'eno');

      const first = await arena.remove(configMap('tomb'));
      arena.writes();
      const second = await arena.remove(configMap('tomb'));

      expect(first.state).toMatchObject({ reconciled: true, deleted: true });
      expect(second.state).toMatchObject({ reconciled: true, deleted: true });
      expect(arena.writes()).toEqual([]);
      expect((await refusal(arena.get(configMap('tomb')))).code).toBe(404);
    });
  });
}

function service(name: string, ports: readonly JsonObject[]): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app: name }, ports } };
}
