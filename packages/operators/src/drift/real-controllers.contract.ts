import { corev1, type Stored, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { driftParts } from './controller.ts';
import { openKind } from './testing/open-kind.ts';
import { type Body, standIns } from './testing/stand-ins.ts';

const CERTIFICATE = openKind('cert-manager.io', 'Certificate', 'certificates');
const REQUEST = openKind('cert-manager.io', 'CertificateRequest', 'certificaterequests');
const CLUSTER = openKind('ray.io', 'RayCluster', 'rayclusters');
const KINDS = [CERTIFICATE, REQUEST, CLUSTER];

/** What `npm run test:controllers` has seen real controllers do, by stand-ins that do the same. */
export function realControllersContract(transport: () => Transport): void {
  describe('controllers as they were seen', () => {
    const resources = KINDS.map(({ ref }) => ref.resource);
    const apiGroups = [...new Set(KINDS.map(({ ref }) => ref.group))];
    const operator = useOperator(transport, driftParts, { anyKind: { apiGroups, resources } });
    const stand = standIns(operator, KINDS);
    const { alice, parent, says, change, remove } = stand;
    const { namespace } = operator;

    beforeAll(() => stand.start([{ apiGroups: [''], resources: ['secrets', 'pods'] }]));
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
  });
}
