import { appsv1, corev1, ownerReferenceTo, type Stored, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { driftParts } from './controller.ts';
import { openKind } from './testing/open-kind.ts';
import { type Body, standIns } from './testing/stand-ins.ts';

const CERTIFICATE = openKind('cert-manager.io', 'Certificate', 'certificates');
const REQUEST = openKind('cert-manager.io', 'CertificateRequest', 'certificaterequests');
const CLUSTER = openKind('ray.io', 'RayCluster', 'rayclusters');
const GROUPS = openKind('leaderworkerset.x-k8s.io', 'LeaderWorkerSet', 'leaderworkersets');
const KINDS = [CERTIFICATE, REQUEST, CLUSTER, GROUPS];

/** What `npm run test:controllers` has seen real controllers do, by stand-ins that do the same. */
export function realControllersContract(transport: () => Transport): void {
  describe('controllers as they were seen', () => {
    const resources = KINDS.map(({ ref }) => ref.resource);
    const apiGroups = [...new Set(KINDS.map(({ ref }) => ref.group))];
    const operator = useOperator(transport, driftParts, { anyKind: { apiGroups, resources } });
    const stand = standIns(operator, KINDS);
    const { alice, parent, says, change, remove } = stand;
    const { namespace } = operator;

    beforeAll(() =>
      stand.start([
        { apiGroups: [''], resources: ['secrets', 'pods', 'services'] },
        { apiGroups: ['apps'], resources: ['statefulsets', 'controllerrevisions'] },
      ]),
    );
    afterAll(() => stand.end());

    const ready = (generation: number, status = 'True') => ({
      conditions: [
        {
          type: 'Ready',
          status,
          reason: 'Test',
          message: '',
          observedGeneration: generation,
          lastTransitionTime: '2026-01-01T10:00:00Z',
        },
      ],
    });
    const request = (owner: Stored, name: string, more = {}) =>
      stand.make(REQUEST.ref, owner, {
        apiVersion: REQUEST.apiVersion,
        kind: 'CertificateRequest',
        metadata: { name },
        spec: { request: btoa(name), ...more },
      });

    test('DRF-150 a person who has written a status, as cmctl renew does, is followed when they change the spec', async () => {
      const owner = await parent(CERTIFICATE, 'tls', { dnsNames: ['a.example.com'] });
      await request(owner, 'tls-1');
      await says(CERTIFICATE, 'tls', ready(1));
      const key = { namespace, name: 'tls' };
      const conditions = [{ ...ready(1).conditions[0], type: 'Issuing', reason: 'ManuallyTriggered' }];
      const body = { status: { conditions: [...ready(1).conditions, ...conditions] } };
      await alice().patch(CERTIFICATE.ref, key, { type: 'merge', body }, { subresource: 'status' });
      await request(owner, 'tls-2');
      await says(CERTIFICATE, 'tls', ready(1));
      await change(CERTIFICATE, 'tls', { dnsNames: ['b.example.com'] });
      await says(CERTIFICATE, 'tls', ready(2, 'False'));
      await stand.make(corev1.secrets, owner, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { generateName: 'tls-' },
        data: { 'tls.key': '' },
      });
      await request(owner, 'tls-3', { usages: ['server auth'] });
      await says(CERTIFICATE, 'tls', ready(2));
    });

    test('DRF-151 requests of certificates that were issued since go, and another default in the next one is denied', async () => {
      const owner = await parent(CERTIFICATE, 'history', { dnsNames: ['a.example.com'] });
      await request(owner, 'history-1');
      await says(CERTIFICATE, 'history', ready(1));
      await request(owner, 'history-2');
      await remove(REQUEST.ref, 'history-1');
      const message = await stand.denied(request(owner, 'history-3', { duration: '100h' }));
      expect(message).toContain('CertificateRequest history-3');
    });

    /** What a controller makes of a template, and what the server puts in: a volume with a token, whose name is random. */
    const worker = (owner: Stored, token: string, more: Body = {}, env: readonly Body[] = []) => {
      const name = `kube-api-access-${token}`;
      const sources = [{ configMap: { name: 'kube-root-ca.crt' } }];
      const container = { name: 'ray', image: 'ray:2', volumeMounts: [{ name, mountPath: '/token' }] };
      return stand.make(corev1.pods, owner, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: `${owner.metadata.name}-worker-` },
        spec: { volumes: [{ name, projected: { sources } }], containers: [{ ...container, env }], ...more },
      });
    };

    test('DRF-170 a pod that somebody deletes comes back, on another node and with another token, and with another variable it is denied', async () => {
      const owner = await parent(CLUSTER, 'train', { replicas: 3 });
      const [lost] = await Promise.all(
        ['abcde', 'fghij'].map((token) => worker(owner, token, { nodeName: 'node-1' })),
      );
      await says(CLUSTER, 'train', { state: 'ready', observedGeneration: 1 });
      await change(CLUSTER, 'train', { replicas: 2 });
      await says(CLUSTER, 'train', { state: 'ready', observedGeneration: 2 });
      const key = { namespace, name: lost?.metadata.name ?? '' };
      await alice().delete(corev1.pods, key, { gracePeriodSeconds: 0 });
      await worker(owner, 'klmno');
      const env = [{ name: 'RAY_CLUSTER_NAMESPACE', value: namespace }];
      expect(await stand.denied(worker(owner, 'pqrst', {}, env))).toContain(
        'nobody has changed RayCluster train',
      );
    });

    /** What LeaderWorkerSet applies at each of its rounds. Servers may drop what is behind a feature gate. */
    const applyLeaders = (owner: Stored, spec: Body = {}, image = 'serve:1') =>
      stand.ctl().apply(
        appsv1.statefulsets,
        {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          metadata: {
            namespace,
            name: owner.metadata.name,
            ownerReferences: [ownerReferenceTo(owner, { controller: true })],
          },
          spec: {
            serviceName: owner.metadata.name,
            selector: { matchLabels: { app: owner.metadata.name } },
            template: {
              metadata: { labels: { app: owner.metadata.name } },
              spec: { containers: [{ name: 'leader', image }] },
            },
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, partition: 0 } },
            ...spec,
          },
        } as never,
        { fieldManager: 'lws', force: true },
      );
    const revision = (owner: Stored, name: string) =>
      stand.make(appsv1.controllerrevisions, owner, {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name },
        data: {},
        revision: Number(name.at(-1)),
      });
    const service = (owner: Stored) =>
      stand.make(corev1.services, owner, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: owner.metadata.name },
        spec: { clusterIP: 'None', selector: { app: owner.metadata.name } },
      });
    const { observedGeneration: _, ...condition } = ready(1).conditions[0] as Body;
    const available = { conditions: [{ ...condition, type: 'Available' }] };

    test('DRF-172 what a server drops is no change when it is applied again, old revisions go, a Service comes back, and another default is denied', async () => {
      const owner = await parent(GROUPS, 'serve', { image: 'serve:1' });
      await revision(owner, 'serve-1');
      await applyLeaders(owner);
      await service(owner);
      await says(GROUPS, 'serve', available);
      await change(GROUPS, 'serve', { image: 'serve:2' });
      await revision(owner, 'serve-2');
      const rolled = await applyLeaders(owner, {}, 'serve:2');
      await says(GROUPS, 'serve', { ...available, updatedReplicas: 1 });
      await remove(appsv1.controllerrevisions, 'serve-1');
      const again = await applyLeaders(owner, {}, 'serve:2');
      expect(again.metadata.resourceVersion).toBe(rolled.metadata.resourceVersion);
      await remove(corev1.services, 'serve', alice());
      await service(owner);
      const message = await stand.denied(applyLeaders(owner, { minReadySeconds: 5 }, 'serve:2'));
      expect(message).toContain('spec.minReadySeconds');
      expect(message).not.toContain('maxUnavailable');
    });
  });
}
