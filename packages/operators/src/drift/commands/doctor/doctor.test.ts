import { expect, test } from 'vitest';
import { userHash } from '../../annotations/user-hash.ts';
import { checkOperatorClock, checkThisClock } from '../../../kit/check-clocks.ts';
import { checkCredentials } from './check-credentials.ts';
import { checkPolicies } from './check-policies.ts';
import {
  checkCertificates,
  checkExclusion,
  checkInstalled,
  checkPaths,
  checkServing,
} from './check-webhooks.ts';
import { BASE } from '../../policy/webhook-entries.ts';
import { installationsOf } from './installation.ts';

const NOW = new Date('2026-01-01T10:00:00Z');
const AT = NOW.getTime();
const NAME = 'kubernetes.io/metadata.name';

const configuration = (name: string, webhook: string, namespaces: readonly string[]) => ({
  apiVersion: 'admissionregistration.k8s.io/v1' as const,
  kind: 'MutatingWebhookConfiguration' as const,
  metadata: { name },
  webhooks: [
    {
      name: webhook,
      admissionReviewVersions: ['v1'],
      sideEffects: 'NoneOnDryRun' as const,
      clientConfig: { service: { namespace: 'ops', name: 'any' } },
      rules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['*' as const], resources: ['configmaps'] }],
      namespaceSelector: {
        matchExpressions: [{ key: NAME, operator: 'NotIn' as const, values: [...namespaces] }],
      },
    },
  ],
});
const SYSTEM = ['kube-system', 'kube-public', 'kube-node-lease'];

test('both ways to install drift are found, with the account that each runs under', () => {
  const found = installationsOf([
    configuration('kubewright-drift', 'shop.drift.kubewright.io', SYSTEM),
    configuration('kausality', 'mutating.webhook.kausality.io', SYSTEM),
    configuration('other', 'other.example.com', []),
  ]);
  expect(found.map(({ account }) => account)).toEqual([
    'system:serviceaccount:kubewright:drift-webhook',
    'system:serviceaccount:ops:kausality-webhook',
  ]);
  expect(checkInstalled(found)[0]?.status).toBe('warning');
  expect(checkInstalled(found.slice(1))).toEqual([{ status: 'ok', what: 'kausality calls drift' }]);
  expect(checkInstalled([])[0]).toMatchObject({ status: 'failed', fix: expect.stringContaining('install') });
});

test('DRF-74 a webhook that may block its own namespace fails the check', () => {
  const [own] = installationsOf([configuration('kausality', 'mutating.webhook.kausality.io', SYSTEM)]);
  const [safe] = installationsOf([
    configuration('kausality', 'mutating.webhook.kausality.io', [...SYSTEM, 'ops']),
  ]);
  expect(checkExclusion(own ?? expect.fail())).toMatchObject([
    { status: 'failed', what: expect.stringContaining('does not exclude ops') },
  ]);
  expect(checkExclusion(safe ?? expect.fail())).toMatchObject([{ status: 'ok' }]);
});

test('DRF-74 a webhook that no replica serves fails the check, with the way to let writes through', () => {
  const slice = (ready?: boolean) => ({
    apiVersion: 'discovery.k8s.io/v1' as const,
    kind: 'EndpointSlice' as const,
    metadata: { namespace: 'kubewright' },
    addressType: 'IPv4' as const,
    endpoints: [{ addresses: ['10.0.0.1'], conditions: ready === undefined ? {} : { ready } }],
    ports: [],
  });
  const [found = expect.fail()] = installationsOf([configuration('kubewright-drift', BASE, SYSTEM)]);
  expect(checkServing(found, [slice(true), slice(false), slice()])).toEqual({
    status: 'ok',
    what: "2 of the operator's replicas serve kubewright-drift",
  });
  expect(checkServing(found, [slice(false)])).toMatchObject({
    status: 'failed',
    what: 'no replica of the operator serves kubewright-drift: no change is checked',
  });
  const webhooks = found.webhooks.map((one) => ({ ...one, failurePolicy: 'Fail' as const }));
  const { what, fix } = checkServing({ ...found, webhooks }, []);
  expect(what).toContain(`every write that these webhooks check fails: ${BASE}; `);
  expect(fix).toBe(
    'see why with "kubectl get pods -n ops"; to let writes through until it is back: ' +
      'kubectl delete mutatingwebhookconfiguration kubewright-drift',
  );
});

test('a caBundle that is missing, or no certificate, fails the check', () => {
  const [bare] = installationsOf([configuration('kausality', 'mutating.webhook.kausality.io', SYSTEM)]);
  const installation = bare ?? expect.fail();
  expect(checkCertificates(installation, NOW)[0]?.what).toBe('kausality has no caBundle');
  const [webhook = expect.fail()] = installation.webhooks;
  const caBundle = Buffer.from('no certificate').toString('base64');
  const broken = { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } };
  expect(checkCertificates({ ...installation, webhooks: [broken] }, NOW)[0]).toMatchObject({
    status: 'failed',
    what: 'the caBundle of kausality is not PEM',
  });
});

test('a path that anybody can guess is named, and one with a segment is not shown', () => {
  const of = (path: string | undefined) => {
    const [installation = expect.fail()] = installationsOf([
      configuration('kausality', 'mutating.webhook.kausality.io', SYSTEM),
    ]);
    const [webhook = expect.fail()] = installation.webhooks;
    const clientConfig = { service: { namespace: 'ops', name: 'any', ...(path !== undefined && { path }) } };
    return checkPaths({ ...installation, webhooks: [{ ...webhook, clientConfig }] });
  };
  expect([of(undefined).status, of('/mutate').status]).toEqual(['warning', 'warning']);
  const closed = of(`/mutate/kw-${'0'.repeat(32)}`);
  expect(closed).toEqual({ status: 'ok', what: 'only API servers know the paths of kausality' });
});

test('controllers that share one user fail the check', () => {
  const seen = (...users: readonly string[]) => ({
    children: [],
    parents: [],
    owners: [],
    controllers: new Set(users.map(userHash)),
  });
  const own = 'system:serviceaccount:kube-system:deployment-controller';
  expect(checkCredentials(seen(own)).status).toBe('ok');
  expect(checkCredentials(seen(own, 'system:kube-controller-manager'))).toMatchObject({
    status: 'failed',
    fix: expect.stringContaining('--use-service-account-credentials'),
  });
  expect(checkCredentials(seen('alice')).status).toBe('unknown');
});

test('clocks that are apart are named, with the side that is wrong', () => {
  const clocks = (apart: number) => ({ before: AT + apart, after: AT + apart + 100, server: AT });
  expect(checkThisClock(clocks(900)).status).toBe('ok');
  expect(checkThisClock(clocks(61_000)).what).toContain('60 s ahead of');
  expect(checkThisClock(clocks(-60_100)).what).toContain('60 s behind');
  const renewed = (at: number) => checkOperatorClock({ at, durationMs: 15_000 }, clocks(0));
  expect(renewed(AT - 10_000).status).toBe('ok');
  expect(renewed(AT + 31_000).what).toContain('30 s ahead');
  expect(renewed(AT - 60_000).what).toContain('it is not running');
});

test('a policy that is not in effect fails the check, with the reason', () => {
  const policy = {
    apiVersion: 'kausality.io/v1alpha1' as const,
    kind: 'Kausality' as const,
    metadata: { name: 'shop', uid: '1', resourceVersion: '1' },
    spec: { mode: 'log' as const, resources: [{ apiGroups: [''], resources: ['configmaps'] }] },
  };
  expect(checkPolicies([])[0]?.status).toBe('warning');
  expect(checkPolicies([policy])[0]?.what).toContain('the operator has not seen it');
});
