import { expect, test } from 'vitest';
import { installManifests } from './install-manifests.ts';
import { guardParts } from './testing/guard.ts';

test('settings that are given are in the environment of the manager, as they were given', () => {
  const settings = { MS2M_BROKERS: 'rabbitmq.$(NAMESPACE).svc' };
  const objects = installManifests([], { operators: [], namespace: 'ops', image: 'kubewright', settings });
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  // Kubernetes makes `$(NAMESPACE)` of it.
  const env = [{ name: 'MS2M_BROKERS', value: 'rabbitmq.$$(NAMESPACE).svc' }];
  expect(deployment?.['spec']).toMatchObject({
    template: { spec: { containers: [{ env: expect.arrayContaining(env) }] } },
  });
});

test('DRF-74 what is installed has a delay, and time enough to end', () => {
  const objects = installManifests([], { operators: [], namespace: 'ops', image: 'kubewright' });
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  expect(deployment?.['spec']).toMatchObject({
    replicas: 2,
    template: {
      spec: {
        terminationGracePeriodSeconds: 75,
        containers: [{ args: expect.arrayContaining(['--shutdown-delay-seconds=5']) }],
      },
    },
  });
});

test('the port of metrics is open to namespaces with a label, that of webhooks to API servers, which no selector finds', () => {
  const specOf = (...operators: Parameters<typeof installManifests>[0]) =>
    installManifests(operators, { operators: [], namespace: 'ops', image: 'kubewright' }).find(
      ({ kind }) => kind === 'NetworkPolicy',
    )?.['spec'];
  const from = [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }];
  const metrics = { from, ports: [{ protocol: 'TCP', port: 'health' }] };
  const webhooks = { ports: [{ protocol: 'TCP', port: 'webhooks' }] };
  const podSelector = { matchLabels: { 'app.kubernetes.io/name': 'kubewright' } };
  expect(specOf()).toEqual({ podSelector, policyTypes: ['Ingress'], ingress: [metrics] });
  expect(specOf(guardParts)).toMatchObject({ ingress: [webhooks, metrics] });
});
