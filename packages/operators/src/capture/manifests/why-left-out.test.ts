import { type KubeObject, ownerReferenceTo } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { whyLeftOut } from './why-left-out.ts';

function controlledBy(apiVersion: string, kind: string): readonly [ReturnType<typeof ownerReferenceTo>] {
  const owner = { apiVersion, kind, metadata: { name: 'owner', uid: 'u', resourceVersion: '1' } };
  return [ownerReferenceTo(owner, { controller: true })];
}

function objectOf(kind: string, ownerReferences: readonly [ReturnType<typeof ownerReferenceTo>]): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'owned', ownerReferences } };
}

describe('what a capture by kind takes of the objects that a controller owns', () => {
  const cluster = controlledBy('rabbitmq.com/v1beta1', 'RabbitmqCluster');

  test.each(['Secret', 'PersistentVolumeClaim'])(
    'a %s is captured, because nobody makes its content again',
    (kind) => expect(whyLeftOut(objectOf(kind, cluster))).toBeUndefined(),
  );

  test.each(['ConfigMap', 'Service', 'Pod'])('a %s is not captured: its controller makes it again', (kind) =>
    expect(whyLeftOut(objectOf(kind, cluster))).toBe('RabbitmqCluster makes it again'),
  );

  test('the Secret of a SealedSecret is not captured: its controller rejects one that it did not make', () => {
    const sealed = controlledBy('bitnami.com/v1alpha1', 'SealedSecret');
    expect(whyLeftOut(objectOf('Secret', sealed))).toBe('SealedSecret makes it again');
  });
});

describe('CAP-172 what people have made of objects that each namespace has is captured', () => {
  const account = (fields: object, metadata: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', ...metadata },
    ...fields,
  });

  test.each<[string, KubeObject]>([
    ['pull secrets', account({ imagePullSecrets: [{ name: 'registry' }] })],
    ['an annotation', account({}, { annotations: { 'example.com/role': 'shop' } })],
    ['no token in its pods', account({ automountServiceAccountToken: false })],
  ])('the account default with %s', (_what, object) => expect(whyLeftOut(object)).toBeUndefined());

  test('as it was made, also with the Secrets that a controller makes for it, it is in each namespace', () => {
    const made = { secrets: [{ name: 'default-token-x7k2p' }] };
    expect(whyLeftOut(account(made))).toBe('each namespace has one');
    expect(whyLeftOut(account({ ...made, imagePullSecrets: [{ name: 'default-dockercfg-abcde' }] }))).toBe(
      'each namespace has one',
    );
  });

  const endpoints = (kind: string, metadata: object = {}): KubeObject => ({
    apiVersion: kind === 'Endpoints' ? 'v1' : 'discovery.k8s.io/v1',
    kind,
    metadata: { name: 'db', ...metadata },
  });
  const managed = { labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } };
  const mirrored = {
    labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
  };
  const old = { managedFields: [{ manager: 'kube-controller-manager', operation: 'Update' }] };

  test('addresses that somebody wrote for a Service without a selector', () => {
    expect(whyLeftOut(endpoints('Endpoints'))).toBeUndefined();
    expect(whyLeftOut(endpoints('EndpointSlice', { labels: { app: 'db' } }))).toBeUndefined();
  });

  test.each([
    ['Endpoints', managed],
    ['Endpoints', old],
    ['Endpoints', { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }],
    ['EndpointSlice', mirrored],
  ])('%s of controllers are not: %j', (kind, metadata) =>
    expect(whyLeftOut(endpoints(kind, metadata))).toBe('a controller writes it'),
  );
});

describe('CAP-174 what our own operators have recorded about a cluster is not captured', () => {
  test.each([
    ['kausality.io/v1alpha1', 'DecisionLog', {}],
    ['migration.ms2m.io/v1alpha1', 'StatefulMigration', {}],
    ['apps/v1', 'ControllerRevision', { 'migration.ms2m.io/migration': 'u' }],
  ])('%s %s', (apiVersion, kind, labels) => {
    expect(whyLeftOut({ apiVersion, kind, metadata: { name: 'a', labels } })).toBeDefined();
    expect(whyLeftOut({ apiVersion: 'other.example.com/v1', kind, metadata: { name: 'a' } })).toBeUndefined();
  });
});
