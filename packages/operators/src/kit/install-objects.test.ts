import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { OPERATORS } from '../list.ts';
import { accountUser, anyKindRole, installObjects } from './install-objects.ts';
import type { OperatorParts } from './operator.ts';

const part = {
  account: 'sites',
  rules: [{ apiGroups: ['example.com'], resources: ['sites'], verbs: ['get', 'list', 'watch'] }],
  verbsOnAnyKind: ['get', 'patch'],
  add: () => undefined,
};
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
    expect(named(installObjects(sites))).toEqual([
      'ServiceAccount kubewright',
      'ServiceAccount sites',
      'ClusterRole kubewright:sites',
      'ClusterRoleBinding kubewright:sites',
      'ClusterRole kubewright:sites:any-kind',
      'ClusterRoleBinding kubewright:sites:any-kind',
      'ValidatingWebhookConfiguration sites',
    ]);
  });

  test('a part has the rules that it declares; the process, whose cache reads for all parts, has them too', () => {
    const [role, binding] = installObjects(sites).slice(2);
    expect(role).toMatchObject({ rules: part.rules });
    expect(binding).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'kubewright:sites' },
      subjects: [
        { kind: 'ServiceAccount', name: 'sites', namespace: 'kubewright' },
        { kind: 'ServiceAccount', name: 'kubewright', namespace: 'kubewright' },
      ],
    });
  });

  test('on which kinds it may work, an administrator says', () => {
    const aggregated = installObjects(sites)[4];
    const given = anyKindRole(part, { apiGroups: ['apps'], resources: ['deployments'] });
    const label = 'kubewright.io/aggregate-to-sites';
    expect(aggregated).toMatchObject({
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] },
    });
    expect(given).toMatchObject({
      metadata: { labels: { [label]: 'true' } },
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }],
    });
  });

  test('webhooks are reached at the Service of the manager', () => {
    const configuration = installObjects(sites, { namespace: 'tools', service: 'hooks' }).at(-1);
    const service = { path: '/validate', namespace: 'tools', name: 'hooks' };
    expect(configuration?.['webhooks']).toMatchObject([{ clientConfig: { service } }]);
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
    expect(new Set(parts.map(({ account }) => account)).size).toBe(parts.length);
    expect(parts.flatMap(({ rules }) => rules).flatMap(({ verbs }) => verbs)).not.toContain('*');
  });
});
