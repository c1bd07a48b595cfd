import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { OPERATORS } from '../operators.ts';
import { accountUser, anyKindRoles, installObjects, MANAGER } from './install-objects.ts';
import { managerRoles } from './manager-roles.ts';
import type { OperatorParts, PolicyRule } from './operator.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

const part = {
  account: 'sites',
  rules: [{ apiGroups: ['example.com'], resources: ['sites'], verbs: ['get', 'list', 'watch'] }],
  verbsOnAnyKind: ['get', 'patch'],
  add: () => undefined,
};
const plain = { account: 'plain', rules: [], add: () => undefined };
const webhooks: readonly KubeObject[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'sites' },
    webhooks: [{ name: 'sites.example.com', clientConfig: { service: { path: '/validate' } } }],
  },
];
const sites: OperatorParts = { resources: [], parts: [part], webhooks };

const named = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('what an operator needs on a cluster', () => {
  test('follows from its parts', () => {
    expect(named(installObjects([sites]))).toEqual([
      'Namespace kubewright',
      'ServiceAccount kubewright',
      'ServiceAccount sites',
      'ClusterRole kubewright:sites',
      'ClusterRoleBinding kubewright:sites',
      'ClusterRole kubewright:sites:any-kind',
      'ClusterRoleBinding kubewright:sites:any-kind',
    ]);
  });

  test('a part has the rules that it declares; the process, whose cache reads for all parts, has them too', () => {
    const [role, binding] = installObjects([sites]).slice(3);
    expect(role).toMatchObject({ rules: part.rules });
    expect(binding).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'kubewright:sites' },
      subjects: [
        { kind: 'ServiceAccount', name: 'sites', namespace: 'kubewright' },
        { kind: 'ServiceAccount', name: 'kubewright', namespace: 'kubewright' },
      ],
    });
  });

  test('the process has the rules of a part that watches nothing, too: from its Deployment all parts call as it', () => {
    const [binding] = installObjects([{ resources: [], parts: [plain] }]).slice(-1);
    expect(binding).toMatchObject({
      roleRef: { name: 'kubewright:plain' },
      subjects: [{ name: 'plain' }, { name: 'kubewright' }],
    });
  });

  test('a part that serves an API asks the API server who calls, as every extension server does', () => {
    const serving: OperatorParts = {
      resources: [],
      parts: [{ ...plain, delegatesAuth: true }],
      apiServices: [
        {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: { name: 'v1.example.com' },
          spec: { group: 'example.com', version: 'v1' },
        },
      ],
    };
    expect(named(installObjects([serving])).slice(-2)).toEqual([
      'ClusterRoleBinding auth-delegator:kubewright:plain',
      'RoleBinding auth-reader:kubewright:plain',
    ]);
    expect(installObjects([serving]).slice(-2)).toMatchObject([
      { roleRef: { kind: 'ClusterRole', name: 'system:auth-delegator' } },
      {
        metadata: { namespace: 'kube-system' },
        roleRef: { kind: 'Role', name: 'extension-apiserver-authentication-reader' },
      },
    ]);
    const service = { namespace: 'kubewright', name: 'kubewright' };
    expect(webhookConfigurations([serving])).toMatchObject([{ spec: { service } }]);
    expect(webhookConfigurations([serving], { url: 'https://127.0.0.1:4443' })).toMatchObject([
      { spec: { service: { ...service, port: 4443 } } },
    ]);
  });

  test('on which kinds it may work, an administrator says', () => {
    const aggregated = installObjects([sites])[5];
    const [given, ...others] = anyKindRoles([sites, { resources: [], parts: [plain] }], {
      apiGroups: ['apps'],
      resources: ['deployments'],
    });
    const label = 'kubewright.io/aggregate-to-sites';
    expect(aggregated).toMatchObject({
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] },
    });
    expect(others).toEqual([]);
    expect(given).toMatchObject({
      metadata: { labels: { [label]: 'true' } },
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }],
    });
  });

  test('webhooks are called at the Service of the manager, or at a URL', () => {
    const [configuration] = webhookConfigurations([sites], { namespace: 'tools' });
    const service = { path: '/validate', namespace: 'tools', name: 'kubewright' };
    expect(configuration?.['webhooks']).toMatchObject([{ clientConfig: { service } }]);
    const [loopback] = webhookConfigurations([sites], { url: 'https://127.0.0.1:1' });
    expect(loopback?.['webhooks']).toMatchObject([{ clientConfig: { url: 'https://127.0.0.1:1/validate' } }]);
    expect(JSON.stringify(loopback)).not.toContain('service');
  });

  test('the manager may keep its own definitions, configurations, Secret and Lease, and no others', () => {
    const rulesOf = (object?: KubeObject): readonly PolicyRule[] =>
      object?.['rules'] as readonly PolicyRule[];
    const [cluster, , own, bound] = managerRoles([sites], { namespace: 'tools' });
    expect(rulesOf(cluster)).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        verbs: ['list', 'watch'],
      },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: ['sites'],
        verbs: ['get', 'patch'],
      },
    ]);
    const unnamed = rulesOf(own).filter(({ resourceNames }) => resourceNames === undefined);
    expect(unnamed.map(({ resources, verbs }) => [resources, verbs])).toEqual([
      [['leases'], ['create']],
      [['events'], ['create', 'patch']],
      [['secrets'], ['create']],
    ]);
    expect(bound).toMatchObject({
      metadata: { namespace: 'tools' },
      roleRef: { kind: 'Role', name: 'kubewright:manager' },
      subjects: [{ kind: 'ServiceAccount', name: 'kubewright', namespace: 'tools' }],
    });
  });

  test('a manager without webhooks reads no Secret', () => {
    const { webhooks: _, ...others } = sites;
    expect(JSON.stringify(managerRoles([others]))).not.toContain('secrets');
  });

  test('an account is a user of its namespace', () => {
    expect(accountUser('sites', { namespace: 'tools' })).toEqual({
      username: 'system:serviceaccount:tools:sites',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:tools', 'system:authenticated'],
    });
  });
});

describe.each(OPERATORS)('the operator $name', (operator) => {
  test('has a name and a line for help, and accounts of its own', async () => {
    const { name, summary } = operator;
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(summary).not.toContain('\n');
    const { parts } = await operator.load();
    // Those of the manager's own roles and account are taken.
    const accounts = ['manager', MANAGER, ...parts.map(({ account }) => account)];
    expect(new Set(accounts).size).toBe(accounts.length);
    expect(parts.flatMap(({ rules }) => rules).flatMap(({ verbs }) => verbs)).not.toContain('*');
  });

  // The cache gets an object when the response to its write was lost.
  test('may get what it watches and writes', async () => {
    const { parts } = await operator.load();
    for (const { account, rules } of parts) {
      const watched = rules.filter(({ verbs }) => verbs.includes('watch'));
      for (const { apiGroups = [], resources = [] } of watched) {
        const verbs = verbsOn(rules, apiGroups, resources);
        const writes = verbs.some((verb) => WRITES.has(verb));
        expect(verbs, `${account}: ${resources.join()}`).toContain(writes ? 'get' : 'watch');
      }
    }
  });
});

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** The verbs of a part on the same resources, or on their subresources. */
function verbsOn(
  rules: readonly PolicyRule[],
  groups: readonly string[],
  resources: readonly string[],
): readonly string[] {
  return rules
    .filter(({ apiGroups = [] }) => apiGroups.some((group) => groups.includes(group)))
    .filter((rule) => (rule.resources ?? []).some((name) => resources.includes(name.split('/')[0] ?? '')))
    .flatMap(({ verbs }) => verbs);
}
