import type { admissionregistrationv1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { Kausality, KausalitySpec } from '../api.ts';
import { policyStatus } from './policy-status.ts';
import { BASE, BASE_CONFIGURATION, hasEntries, problemOf, webhookEntries } from './webhook-entries.ts';

type Configuration = admissionregistrationv1.MutatingWebhookConfiguration;

const CONFIGMAPS = { apiGroups: [''], resources: ['configmaps', 'configmaps'] };
const clientConfig = { url: 'https://127.0.0.1:1/drift', caBundle: 'Y2E=' };
const installed: Configuration = {
  ...BASE_CONFIGURATION,
  webhooks: [{ ...BASE_CONFIGURATION.webhooks[0], clientConfig }],
};

function policy(name: string, spec: Partial<KausalitySpec> = {}): Kausality {
  return {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name, uid: name, resourceVersion: '1' },
    spec: { resources: [CONFIGMAPS], mode: 'log', ...spec },
  };
}

test('each policy has a webhook: of what it names, of its status and its scale', () => {
  const [entry] =
    webhookEntries([policy('shop', { namespaces: { names: ['shop'], excluded: ['test'] } })], installed) ??
    [];
  expect(entry).toEqual({
    name: `shop.${BASE}`,
    clientConfig,
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['*'],
        scope: '*',
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: ['configmaps'],
      },
      {
        apiGroups: [''],
        apiVersions: ['*'],
        scope: '*',
        operations: ['UPDATE'],
        resources: ['configmaps/status', 'configmaps/scale'],
      },
    ],
    namespaceSelector: {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop'] },
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['kube-system', 'kube-public', 'kube-node-lease', 'kubewright', 'test'],
        },
      ],
    },
    objectSelector: {},
    matchConditions: [
      {
        name: 'written-by-others',
        expression:
          '!(request.userInfo.username in ["system:serviceaccount:kubewright:drift-webhook",' +
          '"system:serviceaccount:kubewright:drift","system:serviceaccount:kubewright:kubewright"])',
      },
    ],
    failurePolicy: 'Ignore',
    matchPolicy: 'Equivalent',
    reinvocationPolicy: 'Never',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 5,
    admissionReviewVersions: ['v1'],
  });
});

test('a webhook that may deny must not be left out: its failures are the failures of writes', () => {
  const policies = [
    policy('b', { mode: 'enforce' }),
    policy('a', { overrides: [{ namespaces: ['shop'], mode: 'enforce' }] }),
    policy('c'),
  ];
  const entries = webhookEntries(policies, installed) ?? [];
  expect(entries.map(({ name, failurePolicy }) => [name.split('.')[0], failurePolicy])).toEqual([
    ['a', 'Fail'],
    ['b', 'Fail'],
    ['c', 'Ignore'],
  ]);
});

test('as long as there is no certificate, nothing is called', () => {
  const { caBundle: _none, ...address } = clientConfig;
  const fresh = { ...installed, webhooks: [{ ...BASE_CONFIGURATION.webhooks[0], clientConfig: address }] };
  expect(webhookEntries([policy('a')], fresh)).toBeUndefined();
});

test('a certificate or a segment that is replaced is no reason to write, an address or a policy that is gone is', () => {
  const entries = webhookEntries([policy('a')], installed) ?? [];
  const live = (changes: object = {}): Configuration => ({
    ...installed,
    webhooks: [...(installed.webhooks ?? []), ...entries.map((entry) => ({ ...entry, ...changes }))],
  });
  expect(hasEntries(live(), entries)).toBe(true);
  expect(hasEntries(live({ clientConfig: { ...clientConfig, caBundle: 'b3RoZXI=' } }), entries)).toBe(true);
  const segment = `kw-${'0'.repeat(32)}`;
  const rotated = { ...clientConfig, url: `${clientConfig.url}/${segment}` };
  expect(hasEntries(live({ clientConfig: rotated }), entries)).toBe(true);
  expect(
    hasEntries(live({ clientConfig: { ...clientConfig, url: 'https://127.0.0.1:2/drift' } }), entries),
  ).toBe(false);
  expect(hasEntries(live(), [])).toBe(false);
  expect(hasEntries(installed, entries)).toBe(false);
});

test.each<[string, string, Partial<KausalitySpec>]>([
  ['a namespace', 'spec.namespaces: ', { namespaces: { names: ['a/b'] } }],
  ['a label of objects', 'spec.objectSelector: ', { objectSelector: { matchLabels: { a: 'b c' } } }],
  ['a resource without a name', 'spec.resources has', { resources: [{ apiGroups: [''], resources: [''] }] }],
])('a policy with %s that no API server takes says so, and keeps no other out', (_title, why, spec) => {
  const wrong = policy('wrong', spec);
  const entries = webhookEntries([wrong, policy('right')], installed) ?? [];
  expect(entries.map(({ name }) => name)).toEqual([`right.${BASE}`]);
  const problem = problemOf(wrong, 'kubewright') ?? '';
  expect(problem).toContain(why);
  const facts = { policy: wrong, isCalled: false, configuration: 'c', problem };
  const { conditions = [] } = policyStatus(facts, new Date(0));
  const message = `changes are not checked: ${problem}`;
  expect(conditions).toMatchObject([
    { type: 'WebhookConfigured', status: 'False', reason: 'InvalidPolicy', message: problem },
    { type: 'Ready', status: 'False', reason: 'InvalidPolicy', message },
  ]);
});

test('DRF-143 a selector with empty lists is written as servers store it: without them', () => {
  const matchExpressions = [{ key: 'tier', operator: 'Exists' as const, values: [] }];
  const entryOf = (objectSelector: NonNullable<KausalitySpec['objectSelector']>) =>
    webhookEntries([policy('shop', { objectSelector })], installed)?.[0]?.objectSelector;
  expect(entryOf({ matchExpressions: [] })).toEqual({});
  expect(entryOf({ matchLabels: {}, matchExpressions })).toEqual({
    matchExpressions: [{ key: 'tier', operator: 'Exists' }],
  });
});
