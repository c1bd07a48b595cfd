import type { JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { at, textAt } from '../testing/at.ts';
import { configMaps, MERGE } from '../testing/config-maps.ts';
import { caller } from '../testing/call.ts';

type Server = { transport(user?: 'admin' | 'alice'): Transport };

const OWN = 'example.com/own';

/** What may happen to an object while it is being deleted. */
export function dyingContract(server: () => Server): void {
  const { maps, call, fresh, make, read, removeFinalizers, namespace } = configMaps(
    server,
    `dying-${process.pid}`,
  );

  describe('an object that is being deleted', () => {
    test('takes no new finalizer, in any way', async () => {
      const name = await make({ finalizers: [OWN] });
      await call('DELETE', `${maps}/${name}`);
      const finalizers = [OWN, 'example.com/late'];
      const refused = await call('PATCH', `${maps}/${name}`, { metadata: { finalizers } }, MERGE);
      expect([refused.status, refused.json['message']]).toEqual([
        422,
        `ConfigMap "${name}" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}`,
      ]);
      const live = (await read(name)) ?? {};
      const put = { ...live, metadata: { ...(live['metadata'] as JsonObject), finalizers } };
      expect((await call('PUT', `${maps}/${name}`, put)).status).toBe(422);
    });

    test('may change otherwise, keeps its deletion, and ends with its last finalizer', async () => {
      const name = await make({ finalizers: [OWN, 'example.com/second'] });
      const deleted = await call('DELETE', `${maps}/${name}`);
      const since = at(deleted.json, 'metadata', 'deletionTimestamp');
      const patch = {
        data: { a: 'b' },
        metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null },
      };
      const patched = await call('PATCH', `${maps}/${name}`, patch, MERGE);
      expect([patched.status, at(patched.json, 'metadata', 'deletionTimestamp')]).toEqual([200, since]);
      expect(at(patched.json, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
      const other = { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } };
      const moved = await call('PATCH', `${maps}/${name}`, other, MERGE);
      expect([moved.status, at(moved.json, 'metadata', 'deletionTimestamp')]).toEqual([200, since]);
      const less = { metadata: { finalizers: ['example.com/second'] } };
      expect((await call('PATCH', `${maps}/${name}`, less, MERGE)).status).toBe(200);
      const last = await call('PATCH', `${maps}/${name}`, { metadata: { finalizers: null } }, MERGE);
      expect([last.status, await read(name)]).toEqual([200, undefined]);
    });

    test('is told to who wants to create it again', async () => {
      const name = await make({ finalizers: [OWN] });
      await call('DELETE', `${maps}/${name}`);
      const again = await call('POST', maps, { metadata: { name } });
      expect([again.status, again.json['message']]).toEqual([
        409,
        `object is being deleted: configmaps "${name}" already exists`,
      ]);
    });

    test('counts it as a generation, where it counts', async () => {
      const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const name = fresh();
      const template = {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'a', image: 'a' }] },
      };
      const spec = { selector: { matchLabels: { a: 'b' } }, template };
      await call('POST', deployments, { metadata: { name }, spec });
      const deleted = await call('DELETE', `${deployments}/${name}`, { propagationPolicy: 'Foreground' });
      expect(at(deleted.json, 'metadata', 'generation')).toBe(2);
      await removeFinalizers(name, deployments);
    });

    test('both wishes for its dependents cannot be', async () => {
      const name = fresh();
      const metadata = { name, finalizers: ['orphan', 'foregroundDeletion'] };
      const { status, json } = await call('POST', maps, { metadata });
      expect([status, json['message']]).toEqual([
        422,
        `ConfigMap "${name}" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`,
      ]);
    });
  });

  describe('a reference that blocks its owner', () => {
    test('may be made by who may not delete the owner: the check is off by default', async () => {
      const owner = await make();
      const uid = textAt(await read(owner), 'metadata', 'uid');
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }];
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
      await call('POST', `${roles}/roles`, { metadata: { name: 'creator' }, rules });
      await call('POST', `${roles}/rolebindings`, {
        metadata: { name: 'creator' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'creator' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
      });
      const alice = server().transport('alice');
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true };
      const body = { metadata: { name: fresh(), ownerReferences: [reference] } };
      // A real server reads its roles from a cache.
      await expect.poll(async () => (await caller(alice)('POST', maps, body)).status).toBe(201);
      await alice.close();
    });
  });
}
