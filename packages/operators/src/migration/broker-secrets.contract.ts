import { corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { BROKER_SECRET } from './api.ts';
import { migrationParts } from './controller.ts';
import {
  type BrokerForLoad,
  consumerTemplate,
  isReady,
  moveCalls,
  PATIENT,
  reached,
} from './testing/migration-calls.ts';

/** The credentials of a broker, on a cluster with two nodes that run workers; the operator acts under its account. */
export function brokerSecretsContract(transport: () => Transport, broker: () => BrokerForLoad): void {
  describe('a migration whose broker is in a Secret', () => {
    const operator = useOperator(transport, migrationParts, {
      env: { MS2M_BROKERS: '127.0.0.1, *.brokers' },
    });
    const { namespace } = operator;
    const queue = `secret-${namespace}`;
    let targetNode = '';

    const create = moveCalls(() => operator, { queue, broker });
    const secret = (name: string, stringData: Readonly<Record<string, string>>): Promise<unknown> =>
      operator.admin.create(corev1.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
        stringData,
      });
    const dryRun = async (name: string, from: Readonly<Record<string, string>>) => {
      const messageQueueConfig = { queueName: queue, exchangeName: 'orders', routingKey: queue, ...from };
      await create(name, 'lone', targetNode, { dryRun: true, messageQueueConfig });
      const { status } = await reached(operator, name, ['Completed', 'Rejected', 'Failed']);
      const failed = status?.conditions?.find(({ type }) => type === 'Failed');
      return { phase: status?.phase, reason: failed?.reason, message: status?.message };
    };

    beforeAll(async () => {
      await broker().declare(queue);
      const { spec, metadata } = consumerTemplate('lone', { queue, url: broker().url });
      const lone = { ...metadata, name: 'lone', namespace };
      await operator.admin.create(corev1.pods, { apiVersion: 'v1', kind: 'Pod', metadata: lone, spec });
      const pod = await waitForObject(operator.admin, corev1.pods, lone, isReady, PATIENT);
      targetNode = pod?.spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
    });

    test('the operator may get the Secret of this name, and reaches the broker', async () => {
      await secret(BROKER_SECRET, { url: broker().url, username: 'guest', password: 'guest' });
      expect(await dryRun('by-secret', { brokerSecret: BROKER_SECRET })).toMatchObject({
        phase: 'Completed',
      });
    });

    test('it may get no other Secret', async () => {
      await secret('other', { url: broker().url });
      expect(await dryRun('by-other', { brokerSecret: 'other' })).toEqual({
        phase: 'Rejected',
        reason: 'BrokerRejected',
        message: 'the operator may not get Secret other: it may get those named ms2m-broker',
      });
    });

    test('a broker that is not one of MS2M_BROKERS is rejected, without its credentials in the message', async () => {
      expect(await dryRun('elsewhere', { brokerUrl: 'amqp://me:hidden@brokers.evil.example' })).toEqual({
        phase: 'Rejected',
        reason: 'BrokerRejected',
        message:
          'the broker is not one of those that an administrator has allowed: MS2M_BROKERS of the manager (kubewright manager --ms2m-brokers HOST:PORT) lists them',
      });
    });
  });
}
