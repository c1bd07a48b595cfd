import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@kubewright/client';
import {
  admissionregistrationv1,
  appsv1,
  corev1,
  jsonEqual,
  type JsonObject,
  type Transport,
} from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { driftParts } from '../../packages/operators/src/drift/controller.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';
import { at, textAt } from '../support/at.ts';
import { startWebhookServer } from '../support/webhook-server.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';
import { hopsOf } from '../../packages/operators/src/drift/testing/hops-of.ts';

const CONFIGURATIONS = admissionregistrationv1.mutatingwebhookconfigurations;
const CONTROLLER = 'system:serviceaccount:kube-system:deployment-controller';
const PATIENCE = { timeoutMs: 120_000 };
const REPLICAS = 10;
const LABELS = { app: 'web' };
const COPIED = 'kausality.io/trace-ticket';
/** Updates of a ReplicaSet that only copy annotations of its Deployment. */
const COPIES = 'UPDATE replicasets annotations';

/** What the Deployment controller writes in a rollout, with and without drift. */
export function rolloutWritesContract(transport: () => Transport): void {
  describe('drift and the writes of a rollout', () => {
    const operator = useOperator(transport, driftParts);
    const suffix = randomUUID().slice(0, 8);
    const [tracked, plain] = [`tracked-${suffix}`, `plain-${suffix}`];
    let admin: Client;
    let counter: Counter;

    beforeAll(async () => {
      admin = createClient(transport());
      counter = await startCounter(admin, suffix);
      await createPolicy(operator.admin, tracked, { mode: 'enforce', namespaces: { names: [tracked] } });
      for (const name of [tracked, plain])
        await admin.create(corev1.namespaces, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name },
          spec: {},
        });
      await counter.ready();
    });
    afterAll(async () => {
      await counter.stop();
      await operator.admin.delete(KAUSALITIES, { name: tracked });
    });

    const rollOut = async (namespace: string): Promise<void> => {
      const key = { namespace, name: 'web' };
      const template = (image: string) => ({
        metadata: { labels: LABELS },
        spec: { containers: [{ name: 'web', image }] },
      });
      await admin.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { ...key, annotations: { [COPIED]: 'J-1' } },
        spec: { replicas: REPLICAS, selector: { matchLabels: LABELS }, template: template('web:1') },
      });
      await waitForObject(admin, appsv1.deployments, key, isSettled, PATIENCE);
      const body = { spec: { template: template('web:2') } };
      await admin.patch(appsv1.deployments, key, { type: 'strategic', body });
      await waitForObject(admin, appsv1.deployments, key, isSettled, PATIENCE);
    };

    test('DRF-39 the Deployment controller makes the writes that it makes without drift; what it copies means nothing', async () => {
      await rollOut(plain);
      await rollOut(tracked);
      const [without, withDrift] = [counter.count(plain), counter.count(tracked)];
      expect(without).not.toHaveProperty([COPIES]);
      expect(withDrift).not.toHaveProperty([COPIES]);
      // How many steps a rollout has depends on when its pods are ready.
      expect(Object.keys(withDrift).toSorted()).toEqual(Object.keys(without).toSorted());
      expect(withDrift['CREATE replicasets']).toBe(without['CREATE replicasets']);
      const sets = (await admin.list(appsv1.replicasets, { namespace: tracked })).items;
      for (const set of sets) {
        expect(hopsOf(set)).toHaveLength(2);
        expect(set.metadata.annotations).toMatchObject({ [COPIED]: 'J-1' });
        expect(annotationsOf(set)).not.toHaveProperty([COPIED]);
      }
    });
  });
}

function isSettled(live: appsv1.Deployment | undefined): boolean {
  const { status = {}, metadata } = live ?? { metadata: {} };
  return (
    status.observedGeneration === metadata.generation &&
    status.updatedReplicas === REPLICAS &&
    status.replicas === REPLICAS &&
    status.availableReplicas === REPLICAS &&
    (status.conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable') ?? false)
  );
}

type Counter = {
  /** The controller's writes in a namespace, by what they are about. */
  count(namespace: string): Readonly<Record<string, number>>;
  ready(): Promise<void>;
  stop(): Promise<void>;
};

async function startCounter(admin: Client, suffix: string): Promise<Counter> {
  const metadata = { name: `aa-writes-${suffix}` };
  const server = await startWebhookServer();
  const { path, asked } = server.answer(() => ({ allowed: true }));
  const resources = ['deployments', 'deployments/status', 'replicasets'];
  const rule = {
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    resources,
  };
  const webhook = {
    name: 'writes.example.com',
    clientConfig: { url: `https://127.0.0.1:${server.port}${path}`, caBundle: server.caBundle },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  await admin.create(CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata,
    webhooks: [webhook as never],
  });
  return {
    count(namespace) {
      const counts: Record<string, number> = {};
      for (const request of asked) {
        const isCounted =
          textAt(request, 'namespace') === namespace && at(request, 'userInfo', 'username') === CONTROLLER;
        if (!isCounted) continue;
        const what = describeWrite(request);
        counts[what] = (counts[what] ?? 0) + 1;
      }
      return counts;
    },
    async ready() {
      await vi.waitFor(
        async () => {
          const probe = {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            metadata: { name: 'probe', namespace: 'default' },
          };
          const spec = {
            selector: { matchLabels: LABELS },
            template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'a', image: 'a' }] } },
          };
          await admin.create(appsv1.replicasets, { ...probe, spec } as never, { dryRun: true });
          expect(asked).not.toEqual([]);
        },
        { timeout: 30_000 },
      );
    },
    async stop() {
      await admin.delete(CONFIGURATIONS, metadata);
      await server.stop();
    },
  };
}

function describeWrite(request: JsonObject): string {
  const sub = textAt(request, 'subResource');
  const resource = `${textAt(request, 'resource', 'resource')}${sub === '' ? '' : `/${sub}`}`;
  const operation = textAt(request, 'operation');
  const isSpec = !jsonEqual(at(request, 'object', 'spec') ?? null, at(request, 'oldObject', 'spec') ?? null);
  return `${operation} ${resource}${operation === 'UPDATE' && sub === '' ? (isSpec ? ' spec' : ' annotations') : ''}`;
}
