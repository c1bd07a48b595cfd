import type { Json, JsonObject } from '@kubewright/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../../api-server.ts';
import { type Call, caller } from '../../testing/call.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const BOB = {
  username: 'system:serviceaccount:t:bob',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:t', 'system:authenticated'],
};

let server: ApiServer;
let admin: Call;
let bob: Call;

beforeEach(async () => {
  server = createApiServer();
  admin = caller(server.transport());
  bob = caller(server.transport(BOB));
  await admin('POST', '/api/v1/namespaces', { metadata: { name: 't' } });
});

async function create(path: string, name: string, body: JsonObject, labels: JsonObject = {}): Promise<void> {
  const { status, text } = await admin('POST', path, { metadata: { name, labels }, ...body });
  if (status !== 201) throw new Error(text);
}

const clusterRole = (name: string, rules: Json, labels?: JsonObject) =>
  create(`${RBAC}/clusterroles`, name, { rules }, labels);

function binding(kind: string, name: string, subject: JsonObject): JsonObject {
  return { roleRef: { apiGroup: GROUP, kind, name }, subjects: [subject] };
}

const bindCluster = (name: string, subject: JsonObject) =>
  create(`${RBAC}/clusterrolebindings`, `b-${name}`, binding('ClusterRole', name, subject));

const bindIn = (namespace: string, kind: string, name: string, subject: JsonObject) =>
  create(`${RBAC}/namespaces/${namespace}/rolebindings`, `b-${name}`, binding(kind, name, subject));

const SA = { kind: 'ServiceAccount', namespace: 't', name: 'bob' };
const user = (name: string): JsonObject => ({ kind: 'User', apiGroup: GROUP, name });
const group = (name: string): JsonObject => ({ kind: 'Group', apiGroup: GROUP, name });
const ROLE_WRITER = [
  {
    apiGroups: [GROUP],
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    verbs: ['create', 'update', 'patch', 'get'],
  },
];

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

describe('nobody gives more than he has', () => {
  beforeEach(async () => {
    await clusterRole('role-writer', ROLE_WRITER);
    await bindCluster('role-writer', SA);
  });
  const who = `user "${BOB.username}" (groups=["system:serviceaccounts" "system:serviceaccounts:t" "system:authenticated"])`;
  const grants = `${who} is attempting to grant RBAC permissions not currently held:`;

  test.each<[string, string, JsonObject, number, string]>([
    [
      'a role',
      'clusterroles',
      {
        rules: [
          { apiGroups: ['', 'apps'], resources: ['pods', 'deployments'], verbs: ['get', 'list'] },
          { nonResourceURLs: ['/metrics'], verbs: ['get'] },
          { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] },
        ],
      },
      403,
      `clusterroles.${GROUP} "x" is forbidden: ${grants}\n` +
        '{APIGroups:[""], Resources:["deployments"], Verbs:["get" "list"]}\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}\n' +
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}\n' +
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ],
    [
      'an aggregation',
      'clusterroles',
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
      403,
      `clusterroles.${GROUP} "x" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ],
    [
      'a binding',
      'clusterrolebindings',
      binding('ClusterRole', 'cluster-admin', SA),
      403,
      `clusterrolebindings.${GROUP} "x" is forbidden: ${grants}\n` +
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    ],
    [
      'a binding to no role',
      'namespaces/t/rolebindings',
      binding('Role', 'nope', SA),
      404,
      `rolebindings.${GROUP} "nope" not found`,
    ],
    [
      'a binding to what is no role',
      'namespaces/t/rolebindings',
      binding('Wrong', 'nope', SA),
      500,
      'unsupported role reference kind: "Wrong"',
    ],
  ])('%s', async (_, path, body, code, message) => {
    const { status, json } = await bob('POST', `${RBAC}/${path}`, { metadata: { name: 'x' }, ...body });
    expect([status, json['message']]).toEqual([code, message]);
  });

  test('by changing a role either; what one has is free to give', async () => {
    const mine = { metadata: { name: 'mine' }, rules: ROLE_WRITER };
    expect((await bob('POST', `${RBAC}/clusterroles`, mine)).status).toBe(201);
    const more = [
      { op: 'add', path: '/rules/-', value: { apiGroups: [''], resources: ['pods'], verbs: ['get'] } },
    ];
    const patch = { 'content-type': 'application/json-patch+json' };
    expect((await bob('PATCH', `${RBAC}/clusterroles/mine`, more, patch)).status).toBe(403);
    const owner = [{ op: 'add', path: '/metadata/finalizers', value: ['a.io/b'] }];
    expect((await bob('PATCH', `${RBAC}/clusterroles/mine`, owner, patch)).status).toBe(200);
  });

  test('unless he may escalate, or bind that role', async () => {
    const escalate = [{ apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['escalate'] }];
    const bind = [
      { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['cluster-admin'], verbs: ['bind'] },
    ];
    await clusterRole('may-escalate', escalate);
    await clusterRole('may-bind', bind);
    await bindCluster('may-escalate', SA);
    await bindCluster('may-bind', SA);
    const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const role = { metadata: { name: 'x' }, rules: all };
    expect((await bob('POST', `${RBAC}/clusterroles`, role)).status).toBe(201);
    const bound = { metadata: { name: 'x' }, ...binding('ClusterRole', 'cluster-admin', SA) };
    expect((await bob('POST', `${RBAC}/clusterrolebindings`, bound)).status).toBe(201);
  });
});

describe('who may be somebody else', () => {
  const NAMESPACES = '/api/v1/namespaces';
  const as = (headers: Readonly<Record<string, string>>) => bob('GET', NAMESPACES, undefined, headers);
  const text = async (headers: Readonly<Record<string, string>>) => (await as(headers)).json['message'];

  test.each([
    ['jane', 'user-info'],
    ['system:serviceaccount:a:b', 'serviceaccount'],
    ['system:node:n1', 'arbitrary-node'],
  ])('nobody without a right: %s', async (name, mode) => {
    expect(await text({ 'impersonate-user': name })).toBe(
      `namespaces is forbidden: User "${BOB.username}" cannot impersonate-on:${mode}:list resource "namespaces" in API group "" at the cluster scope`,
    );
  });

  test('each part of a user takes a right of its own', async () => {
    await clusterRole('imp', [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }]);
    await bindCluster('imp', SA);
    const jane = { 'impersonate-user': 'jane' };
    const lacks = (what: string, rights: string, inGroup = '') =>
      `${what} is forbidden: User "${BOB.username}" cannot impersonate resource "${rights}" in API group "${inGroup}" at the cluster scope`;
    expect(await text(jane)).toContain('User "jane" cannot list resource "namespaces"');
    expect(await text({ ...jane, 'impersonate-group': 'dev' })).toBe(lacks('groups "dev"', 'groups'));
    const authn = 'authentication.k8s.io';
    expect(await text({ ...jane, 'impersonate-uid': 'u1' })).toBe(lacks(`uids.${authn} "u1"`, 'uids', authn));
    expect(await text({ ...jane, 'impersonate-extra-scopes': 'v1' })).toBe(
      lacks(`userextras.${authn} "v1"`, 'userextras/scopes', authn),
    );
  });

  test('a right may be for some requests only', async () => {
    await clusterRole('imp', [
      { apiGroups: ['authentication.k8s.io'], resources: ['users'], verbs: ['impersonate:user-info'] },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['impersonate-on:user-info:list'] },
    ]);
    await bindCluster('imp', SA);
    const jane = { 'impersonate-user': 'jane' };
    expect(await text(jane)).toContain('User "jane" cannot list');
    expect((await bob('GET', `${NAMESPACES}/t`, undefined, jane)).json['message']).toContain(
      'cannot impersonate-on:user-info:get',
    );
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
