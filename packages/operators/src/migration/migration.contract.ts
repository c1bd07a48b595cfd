import { systemClock } from '@kubewright/client';
import { appsv1, type corev1, corev1 as core, type Transport } from '@kubewright/kube';
import { type Message, RESTORE_MODE } from '@kubewright/migratable';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { LABELS, STATEFUL_MIGRATIONS, type StatefulMigration } from './api.ts';
import { migrationParts } from './controller.ts';
import { type Load, startLoad } from './demo/start-load.ts';
import { checkApplied } from './testing/check-applied.ts';
import {
  appliedBy,
  type BrokerForLoad,
  consumerTemplate,
  isReady,
  migrationGone,
  moveCalls,
  PATIENT,
  PATIENT_POLL,
  reached,
  LOCAL_BROKERS,
} from './testing/migration-calls.ts';

const TIMED = ['Checkpointing', 'Finalizing', 'Pending', 'Replaying', 'Restoring', 'Transferring'];
const [PRODUCER, PER_SECOND] = ['till', 40];

/** The use case, on a cluster with StatefulSets and two nodes that run workers; the operator acts under its account. */
export function migrationContract(transport: () => Transport, broker: () => BrokerForLoad): void {
  describe('a StatefulSet whose pod moves under load', () => {
    const operator = useOperator(transport, migrationParts, { env: LOCAL_BROKERS });
    const { namespace } = operator;
    const key = { namespace, name: 'consumer-0' };
    // Consumers of the suite on another cluster may share the broker.
    const queue = `orders-${namespace}`;
    let source: corev1.Pod;
    let load: Load;

    const create = moveCalls(() => operator, { queue, broker });
    const move = (name: string, targetNode: string, more = {}): Promise<void> =>
      create(name, key.name, targetNode, more);
    const readyPod = async (): Promise<corev1.Pod> => {
      const pod = await waitForObject(operator.admin, core.pods, key, isReady, PATIENT);
      if (pod === undefined) throw new TypeError('the pod is gone');
      return pod;
    };

    beforeAll(async () => {
      await broker().declare(queue);
      await broker().declare(`${queue}.end`);
      await operator.admin.create(appsv1.statefulsets, consumers(namespace, { queue, url: broker().url }));
      source = await readyPod();
      const publish = (message: Message): Promise<void> => broker().publish(queue, message);
      load = startLoad({ producer: PRODUCER, perSecond: PER_SECOND, publish, clock: systemClock });
    });

    test('MIG-71 MIG-75 a dry run says what would be, locks nothing, and goes when its time is over', async () => {
      await move('dry', source.spec.nodeName === 'node-1' ? 'node-2' : 'node-1', { dryRun: true });
      const { metadata, status } = await reached(operator, 'dry', ['Completed', 'Rejected', 'Failed']);
      expect(status).toMatchObject({
        phase: 'Completed',
        plan: { strategy: 'ShadowPod', consistency: 'ExactlyOnce', pauseSeconds: expect.any(Number) },
      });
      expect(metadata).not.toHaveProperty('finalizers');
      expect((await readyPod()).metadata.labels).not.toHaveProperty(LABELS.migration);
      const body = { spec: { ttlSecondsAfterFinished: 0 } };
      await operator.admin.patch(STATEFUL_MIGRATIONS, { namespace, name: 'dry' }, { type: 'merge', body });
      await migrationGone(operator, 'dry');
    });

    test('MIG-1 MIG-60 it completes; a second migration of the pod is rejected, and does no harm', async () => {
      const target = source.spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
      await move('first', target);
      await reached(operator, 'first', ['Checkpointing', 'Transferring', 'Restoring', 'Replaying']);
      await move('second', target);
      const second = await reached(operator, 'second', ['Rejected']);
      expect(second.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Failed', reason: 'AlreadyMigrating' }),
      );
      const { status } = await reached(operator, 'first', ['Completed', 'Failed']);
      expectWhole(status);
    });

    test('MIG-1 the StatefulSet owns the pod, on the other node, and is as it was', async () => {
      const pod = await readyPod();
      expect(pod.metadata.uid).not.toBe(source.metadata.uid);
      expect(pod.spec.nodeName).not.toBe(source.spec.nodeName);
      expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', controller: true }]);
      expect(pod.spec.hostname).toBe('consumer-0');
      const set = await operator.admin.get(appsv1.statefulsets, { namespace, name: 'consumer' });
      expect(set.metadata.generation).toBe(1);
      const { items } = await operator.admin.list(core.pods, { namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['consumer-0']);
    });

    test('MIG-1 what was published was applied, each message once and in order', async () => {
      const { messages = 0 } = broker();
      await expect.poll(() => load.published, PATIENT_POLL).toBeGreaterThanOrEqual(messages);
      const published = await load.stop();
      const verdict = async () =>
        checkApplied(await appliedBy(transport(), key), new Map([[PRODUCER, published]]));
      await expect.poll(verdict, PATIENT_POLL).toEqual({ missing: [], double: [], disordered: [] });
    });

    test('MIG-48 a container that is restarted in place has lost its state: its StatefulSet makes a new pod', async () => {
      const { metadata } = await readyPod();
      await broker().publish(`${queue}.end`, { body: 'now' });
      const isNew = (pod: corev1.Pod | undefined): boolean =>
        pod?.metadata.uid !== metadata.uid && isReady(pod);
      const pod = await waitForObject(operator.admin, core.pods, key, isNew, PATIENT);
      expect(pod?.metadata.labels).not.toHaveProperty(LABELS.role);
      expect(pod?.spec.containers[0]?.env).not.toContainEqual({ name: RESTORE_MODE, value: 'true' });
      const reasons = async () =>
        (await operator.admin.list(core.events, { namespace })).items.map(({ reason }) => reason);
      await expect.poll(reasons, PATIENT_POLL).toContain('RestoredPodRestarted');
    });

    test('MIG-37 deleting the migration leaves the pod alone', async () => {
      const pod = await readyPod();
      await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'first' });
      await migrationGone(operator, 'first');
      expect((await readyPod()).metadata.uid).toBe(pod.metadata.uid);
    });
  });
}

function expectWhole(status: StatefulMigration['status']): void {
  expect(status).toMatchObject({
    phase: 'Completed',
    progress: 100,
    consistency: 'ExactlyOnce',
    adoptionSubPhase: 'adopted',
    originalReplicas: 1,
    messages: { duplicates: expect.any(Number) },
    checkpointID: expect.stringMatching(/^sha256:/),
    reCheckpointID: expect.stringMatching(/^sha256:/),
  });
  const timed = Object.keys(status?.phaseTimings ?? {}).toSorted();
  expect(timed).toEqual(TIMED);
  const { digest, targetDigest } = status?.handover?.cut ?? {};
  expect([typeof digest, targetDigest]).toEqual(['string', digest]);
}

function consumers(
  namespace: string,
  { queue, url }: { readonly queue: string; readonly url: string },
): appsv1.StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'consumer', namespace },
    spec: {
      serviceName: 'consumer',
      replicas: 1,
      selector: { matchLabels: { app: 'consumer' } },
      template: consumerTemplate('consumer', { queue, url }),
    },
  };
}
