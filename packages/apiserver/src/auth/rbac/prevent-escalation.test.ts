import type { JsonObject } from '@kubewright/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { BOB, binding, GROUP, RBAC, rbacBench, SA } from './testing/rbac-bench.ts';

const { bindCluster, bob, clusterRole } = rbacBench();

const ROLE_WRITER = [
  {
    apiGroups: [GROUP],
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    verbs: ['create', 'update', 'patch', 'get'],
  },
];

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
