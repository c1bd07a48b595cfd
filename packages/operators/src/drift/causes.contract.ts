import type { ResourceRef } from '@kubewright/client';
import { appsv1, batchv1, corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { driftParts } from './controller.ts';
import { openKind } from './testing/open-kind.ts';
import { type Body, standIns } from './testing/stand-ins.ts';

const ROLLOUT = openKind('argoproj.io', 'Rollout', 'rollouts');
const CERTIFICATE = openKind('cert-manager.io', 'Certificate', 'certificates');
const REQUEST = openKind('cert-manager.io', 'CertificateRequest', 'certificaterequests');
const SCALED_JOB = openKind('keda.sh', 'ScaledJob', 'scaledjobs');
const SCALED_OBJECT = openKind('keda.sh', 'ScaledObject', 'scaledobjects');
const RABBIT = openKind('rabbitmq.com', 'RabbitmqCluster', 'rabbitmqclusters');
const KINDS = [ROLLOUT, CERTIFICATE, REQUEST, SCALED_JOB, SCALED_OBJECT, RABBIT];
const HPAS: ResourceRef = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  resource: 'horizontalpodautoscalers',
  namespaced: true,
};
const LABELS = { app: 'web' };
const container = (more = {}) => ({ name: 'main', image: 'main:1', ...more });
const pods = (more = {}) => ({ containers: [container(more)], restartPolicy: 'Never' });

/** Controllers as clusters have them, each as its source says that it writes; with drift denied. */
export function causesContract(transport: () => Transport): void {
  describe('causes of drift', () => {
    const resources = KINDS.map(({ ref }) => ref.resource);
    const apiGroups = [...new Set(KINDS.map(({ ref }) => ref.group))];
    const operator = useOperator(transport, driftParts, { anyKind: { apiGroups, resources } });
    const { namespace } = operator;
    const { as, alice, ctl, parent, says, change, make, patch, remove, denied, start, end } = standIns(
      operator,
      KINDS,
    );

    beforeAll(() =>
      start([
        { apiGroups: [''], resources: ['secrets', 'services', 'configmaps'] },
        { apiGroups: ['apps'], resources: ['replicasets', 'statefulsets'] },
        { apiGroups: ['batch'], resources: ['jobs'] },
        { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] },
      ]),
    );
    afterAll(end);

    const ready = (generation: number, status = 'True') => ({
      type: 'Ready',
      status,
      reason: 'Test',
      message: '',
      observedGeneration: generation,
      lastTransitionTime: '2026-01-01T10:00:00Z',
    });

    test('DRF-88 a canary goes on after its pauses, and a scale that no step explains is denied: its generation is text', async () => {
      const rollout = await parent(ROLLOUT, 'canary', { replicas: 4 });
      const template = { metadata: { labels: LABELS }, spec: { containers: [container()] } };
      const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'canary-1' } };
      await make(appsv1.replicasets, rollout, {
        ...set,
        spec: { replicas: 1, selector: { matchLabels: LABELS }, template },
      });
      const available = [{ type: 'Available', status: 'True' }];
      const healthy = { phase: 'Healthy', stableRS: 'a', currentPodHash: 'a', conditions: available };
      await says(ROLLOUT, 'canary', { ...healthy, observedGeneration: '1' });
      const scale = (replicas: number) => patch(appsv1.replicasets, 'canary-1', { spec: { replicas } });
      await denied(scale(2));
      await change(ROLLOUT, 'canary', { replicas: 5 });
      await says(ROLLOUT, 'canary', { observedGeneration: '2', phase: 'Progressing', currentPodHash: 'b' });
      await scale(2);
      await says(ROLLOUT, 'canary', { phase: 'Paused' });
      await scale(3);
      await says(ROLLOUT, 'canary', { phase: 'Healthy', stableRS: 'b' });
      expect(await denied(scale(4))).toContain('nobody has changed Rollout canary');
    });

    test('DRF-89 a certificate is issued, changed, renewed and issued again, and another default in a request is denied', async () => {
      const spec = { dnsNames: ['a.example.com'], secretName: 'tls' };
      let certificate = await parent(CERTIFICATE, 'tls', spec);
      let requests = 0;
      const issue = async (generation: number, more = {}): Promise<void> => {
        await says(CERTIFICATE, 'tls', { conditions: [ready(generation, 'False')] });
        const secret = await make(corev1.secrets, certificate, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { generateName: 'tls-' },
          data: { 'tls.key': btoa(`key ${(requests += 1)}`) },
        });
        await make(REQUEST.ref, certificate, {
          apiVersion: REQUEST.apiVersion,
          kind: 'CertificateRequest',
          metadata: { name: `tls-${requests}` },
          spec: { request: btoa(`request ${requests}`), duration: '2160h', ...more },
        });
        const renewalTime = '2999-01-01T00:00:00Z';
        await says(CERTIFICATE, 'tls', { conditions: [ready(generation)], renewalTime });
        await remove(corev1.secrets, secret.metadata.name);
      };
      await issue(1);
      certificate = await change(CERTIFICATE, 'tls', { dnsNames: ['b.example.com'] });
      await issue(2);
      // Renewed, or its Secret was deleted.
      await issue(2);
      expect(await denied(issue(2, { usages: ['any'] }))).toContain('CertificateRequest tls-4');
    });

    test('DRF-90 a certificate whose time has come may be renewed in another way', async () => {
      const certificate = await parent(CERTIFICATE, 'due', { dnsNames: ['a.example.com'] });
      await says(CERTIFICATE, 'due', { conditions: [ready(1)] });
      const key = (name: string) =>
        make(corev1.secrets, certificate, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name },
          data: { 'tls.key': '' },
        });
      await denied(key('early'));
      await says(CERTIFICATE, 'due', {
        renewalTime: new Date(Date.now() - 1000).toISOString().replace(/\.\d+/, ''),
      });
      await key('in-time');
    });

    test('DRF-91 the Jobs of a ScaledJob come and go, and Jobs with another default are denied', async () => {
      const owner = await parent(SCALED_JOB, 'queue', { jobTargetRef: { template: { spec: pods() } } });
      await says(SCALED_JOB, 'queue', { conditions: [ready(1)] });
      const job = (name: string, more = {}) =>
        make(batchv1.jobs, owner, {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name },
          spec: { template: { spec: pods() }, ...more },
        });
      await job('queue-1');
      await job('queue-2');
      expect(await denied(job('queue-3', { backoffLimit: 0 }))).toContain('creates Job queue-3');
      await denied(remove(batchv1.jobs, 'queue-2'));
      const time = '2026-01-01T10:00:00Z';
      const over = (type: string) => ({
        type,
        status: 'True',
        lastTransitionTime: time,
        lastProbeTime: time,
      });
      const conditions = [over('SuccessCriteriaMet'), over('Complete')];
      const status = { startTime: time, completionTime: time, succeeded: 1, conditions };
      const key = { namespace, name: 'queue-1' };
      await as('jobs').patch(
        batchv1.jobs,
        key,
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      );
      await remove(batchv1.jobs, 'queue-1');
    });

    test('DRF-92 an autoscaler that somebody deletes comes back as it was, and is taken away while its owner is paused', async () => {
      const owner = await parent(SCALED_OBJECT, 'web', { scaleTargetRef: { name: 'web' } });
      const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      const hpa = (maxReplicas: number) =>
        make(HPAS, owner, {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'keda-hpa-web' },
          spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas },
        });
      await hpa(10);
      await says(SCALED_OBJECT, 'web', { conditions: [{ ...ready(1), observedGeneration: undefined }] });
      await remove(HPAS, 'keda-hpa-web', alice());
      await denied(hpa(20));
      await hpa(10);
      await denied(remove(HPAS, 'keda-hpa-web'));
      const pause = { metadata: { annotations: { 'autoscaling.keda.sh/paused': 'true' } } };
      await alice().patch(SCALED_OBJECT.ref, { namespace, name: 'web' }, { type: 'merge', body: pause });
      await remove(HPAS, 'keda-hpa-web');
    });

    test('DRF-93 a new version that changes a probe is drift, also where it completes the spec of its parent first', async () => {
      const owner = await parent(RABBIT, 'rabbit', { replicas: 1 });
      const probe = (seconds: number) => ({ tcpSocket: { port: 5672 }, periodSeconds: seconds });
      const template = (seconds: number) => ({
        metadata: { labels: LABELS },
        spec: { containers: [container({ readinessProbe: probe(seconds) })] },
      });
      await make(appsv1.statefulsets, owner, {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'rabbit-server' },
        spec: { serviceName: 'rabbit', selector: { matchLabels: LABELS }, template: template(10) },
      });
      const condition = (type: string) => ({ type, status: 'True' });
      const conditions = ['AllReplicasReady', 'ClusterAvailable', 'NoWarnings', 'ReconcileSuccess'].map(
        condition,
      );
      await says(RABBIT, 'rabbit', { conditions, observedGeneration: 1 });
      const upgrade = () => patch(appsv1.statefulsets, 'rabbit-server', { spec: { template: template(30) } });
      expect(await denied(upgrade())).toContain('spec.template.spec.containers');
      await change(RABBIT, 'rabbit', { terminationGracePeriodSeconds: 604_800 }, ctl());
      await denied(upgrade());
      // What somebody asks for is still done.
      await change(RABBIT, 'rabbit', { replicas: 3 });
      await upgrade();
    });

    test('DRF-94 a Service that is written without what the server assigned is not changed', async () => {
      const owner = await parent(RABBIT, 'services', { replicas: 1 });
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'rabbit-nodes' } };
      const ports = [{ name: 'epmd', port: 4369, targetPort: 4369, protocol: 'TCP' }];
      const spec = { type: 'NodePort', selector: LABELS, ports, sessionAffinity: 'None' };
      const made = await make(corev1.services, owner, { ...service, spec });
      const conditions = ['AllReplicasReady', 'ReconcileSuccess'].map((type) => ({ type, status: 'True' }));
      await says(RABBIT, 'services', { conditions, observedGeneration: 1 });
      const { internalTrafficPolicy, externalTrafficPolicy } = made['spec'] as Body;
      const again = { ...made, spec: { ...spec, internalTrafficPolicy, externalTrafficPolicy } };
      const updated = await ctl().update(corev1.services, again as never);
      expect(updated).toEqual(made);
      const other = { ...again, spec: { ...again.spec, sessionAffinity: 'ClientIP' } };
      await denied(ctl().update(corev1.services, other as never));
    });
  });
}
