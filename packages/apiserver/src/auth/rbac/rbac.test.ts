import type { Json, JsonObject } from '@kubewright/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { BOB, GROUP, RBAC, REVIEWS, rbacBench, SA } from './testing/rbac-bench.ts';

const { admin, bindCluster, bindIn, bob, clusterRole } = rbacBench();
const user = (name: string): JsonObject => ({ kind: 'User', apiGroup: GROUP, name });
const group = (name: string): JsonObject => ({ kind: 'Group', apiGroup: GROUP, name });

async function review(who: JsonObject, verb: string, resource: string, rest: JsonObject = {}): Promise<Json> {
  const spec = { ...who, resourceAttributes: { verb, resource, ...rest } };
  return (await admin('POST', REVIEWS, { spec })).json['status'] ?? null;
}

describe('the roles that every cluster has', () => {
  beforeEach(async () => {
    await bindIn('t', 'ClusterRole', 'view', user('viewer'));
    await bindIn('t', 'ClusterRole', 'edit', group('editors'));
    await bindIn('t', 'ClusterRole', 'admin', SA);
    await bindCluster('cluster-admin', user('root'));
  });
  const t = { namespace: 't' };
  const editors = { user: 'e', groups: ['editors'] };
  const apps = { group: 'apps' };

  test.each<[JsonObject, string, string, JsonObject, boolean]>([
    [{ user: 'viewer' }, 'get', 'pods', t, true],
    [{ user: 'viewer' }, 'get', 'pods', { ...t, subresource: 'log' }, true],
    [{ user: 'viewer' }, 'get', 'pods', {}, false],
    [{ user: 'viewer' }, 'get', 'secrets', t, false],
    [{ user: 'viewer' }, 'create', 'pods', t, false],
    [{ user: 'viewer' }, 'list', 'deployments', { ...t, ...apps }, true],
    [editors, 'create', 'deployments', { ...t, ...apps }, true],
    [editors, 'get', 'secrets', t, true],
    [editors, 'watch', 'configmaps', t, true],
    [editors, 'create', 'roles', { ...t, group: GROUP }, false],
    [{ user: BOB.username }, 'create', 'roles', { ...t, group: GROUP }, true],
    [{ user: BOB.username }, 'delete', 'pods', t, true],
    [{ user: BOB.username }, 'delete', 'pods', { namespace: 'default' }, false],
    [{ user: 'root' }, 'whatever', 'anything', { group: 'x.io' }, true],
    [{ groups: ['system:masters'] }, 'delete', 'nodes', {}, true],
    [{ user: 'nobody' }, 'get', 'pods', t, false],
  ])('%j may %s %s %j: %s', async (who, verb, resource, rest, allowed) => {
    expect(await review(who, verb, resource, rest)).toMatchObject({ allowed });
  });

  test('say by which binding', async () => {
    expect(await review({ user: 'viewer' }, 'get', 'pods', t)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b-view/t" of ClusterRole "view" to User "viewer"',
    });
    expect(await review({ user: BOB.username }, 'get', 'pods', t)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b-admin/t" of ClusterRole "admin" to ServiceAccount "bob/t"',
    });
  });

  test('grow by roles with the label that they select', async () => {
    const rules = [{ apiGroups: ['ex.io'], resources: ['widgets'], verbs: ['get'] }];
    await clusterRole('widgets', rules, { [`${GROUP}/aggregate-to-view`]: 'true' });
    const widgets = { ...t, group: 'ex.io' };
    for (const who of [{ user: 'viewer' }, editors, { user: BOB.username }]) {
      expect(await review(who, 'get', 'widgets', widgets)).toMatchObject({ allowed: true });
    }
    await admin('DELETE', `${RBAC}/clusterroles/widgets`);
    expect(await review({ user: 'viewer' }, 'get', 'widgets', widgets)).toEqual({ allowed: false });
  });
});

describe('a right lasts', () => {
  test('as long as its binding and its role', async () => {
    const maps = '/api/v1/namespaces/t/configmaps';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const seen: number[] = [];
    const look = async () => seen.push((await bob('GET', maps)).status);
    await look();
    await clusterRole('lister', rules);
    await bindIn('t', 'ClusterRole', 'lister', SA);
    await look();
    await admin('DELETE', `${RBAC}/clusterroles/lister`);
    await look();
    await clusterRole('lister', rules);
    await look();
    await admin('DELETE', `${RBAC}/namespaces/t/rolebindings/b-lister`);
    await look();
    expect(seen).toEqual([403, 200, 403, 200, 403]);
  });

  test('a missing role is said to whoever is refused', async () => {
    await bindCluster('none', SA);
    await bindIn('t', 'Role', 'missing', SA);
    const { json } = await bob('GET', '/api/v1/namespaces/t/pods');
    expect(json['message']).toBe(
      `pods is forbidden: User "${BOB.username}" cannot list resource "pods" in API group "" in the namespace "t": ` +
        `RBAC: [clusterrole.${GROUP} "none" not found, role.${GROUP} "missing" not found]`,
    );
  });

  test('a list of one object by its name needs the right to that object only', async () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['list'] }];
    await clusterRole('one', rules);
    await bindCluster('one', SA);
    const pods = '/api/v1/namespaces/t/pods';
    expect((await bob('GET', `${pods}?fieldSelector=metadata.name%3Da`)).status).toBe(200);
    expect((await bob('GET', `${pods}?fieldSelector=metadata.name%3Db`)).status).toBe(403);
    expect((await bob('GET', pods)).status).toBe(403);
  });
});

describe('a question that is none', () => {
  const resourceAttributes = { verb: 'get' };
  const both = { user: 'a', resourceAttributes, nonResourceAttributes: { path: '/' } };
  const only = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';

  test.each<[JsonObject, string]>([
    [{ user: 'a' }, `spec.resourceAttributes: Invalid value: null: ${only}`],
    [{ resourceAttributes }, 'spec.user: Invalid value: "": at least one of user or group must be specified'],
    [
      both,
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":""}: cannot be specified in combination with resourceAttributes',
    ],
  ])('%j', async (spec, why) => {
    const { status, json } = await admin('POST', REVIEWS, { spec });
    expect([status, json['message']]).toEqual([422, `.authorization.k8s.io "" is invalid: ${why}`]);
  });

  test('nothing of it is stored', async () => {
    expect((await admin('GET', REVIEWS)).status).toBe(405);
    expect((await admin('DELETE', `${REVIEWS}/x`)).status).toBe(404);
  });
});
