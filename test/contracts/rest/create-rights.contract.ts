import type { JsonObject } from '@kubewright/kube';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { namespaceFor } from './namespace-for.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Rights to update and patch are none to create: where a PUT or an apply would create, both are asked for. */
export function createRightsContract(server: () => TestServer): void {
  describe('a user who may update and patch, and not create', () => {
    const own = namespaceFor(server, 'rights');
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${own.name}/leases`;
    const roles = `/apis/${RBAC}/v1/namespaces/${own.name}`;

    beforeAll(async () => {
      const admin = server().transport();
      const metadata = { name: 'changes' };
      const verbs = ['get', 'patch', 'update'];
      const rules = [
        { apiGroups: [''], resources: ['configmaps'], verbs },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs },
      ];
      const apiVersion = `${RBAC}/v1`;
      await call(admin, 'POST', `${roles}/roles`, { apiVersion, kind: 'Role', metadata, rules });
      const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'changes' };
      const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'alice' }];
      const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects };
      await call(admin, 'POST', `${roles}/rolebindings`, binding);
      const known = () => call(server().transport('alice'), 'GET', `${own.configMaps}/none`);
      await vi.waitFor(async () => expect((await known()).status).toBe(404), {
        timeout: 30_000,
        interval: 20,
      });
    });

    const apply = (name: string, more: JsonObject = {}, query = ''): Promise<Answer> => {
      const metadata = { name, ...more };
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' } };
      const path = `${own.configMaps}/${name}?fieldManager=alice${query}`;
      return call(server().transport('alice'), 'PATCH', path, map, PATCH.apply);
    };
    const forbidden = (name: string, group: string, resource: string) => ({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        `${resource}${group === '' ? '' : `.${group}`} "${name}" is forbidden: User "alice" cannot create resource ` +
        `"${resource}" in API group "${group}" in the namespace "${own.name}"`,
      reason: 'Forbidden',
      details: { name, ...(group === '' ? {} : { group }), kind: resource },
      code: 403,
    });

    test('applies what is there', async () => {
      await own.create('there');
      expect(await apply('there')).toMatchObject({ status: 200, body: { data: { a: '1' } } });
    });

    test.each(['', '&dryRun=All'])('creates nothing by apply%s', async (query) => {
      const { status, body } = await apply('new', {}, query);
      expect(status).toBe(403);
      expect(body).toEqual(forbidden('new', '', 'configmaps'));
    });

    test('hears first what is wrong with the object', async () => {
      expect((await apply('new', { labels: { 'a/b/c': '' } })).status).toBe(422);
    });

    test('creates nothing by PUT', async () => {
      const metadata = { name: 'new' };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: {} };
      const { status, body } = await call(server().transport('alice'), 'PUT', `${leases}/new`, lease);
      expect(status).toBe(403);
      expect(body).toEqual(forbidden('new', 'coordination.k8s.io', 'leases'));
    });
  });
}
