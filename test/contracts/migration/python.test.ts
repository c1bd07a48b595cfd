import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { controlQueue, lockQueue, statusQueue } from '@kubewright/migratable';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrationContract } from '../../../packages/operators/src/migration/migration.contract.ts';
import {
  isReady,
  PATIENT,
  reached,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { useLoad } from '../../../packages/operators/src/migration/testing/use-load.ts';
import { otherNode, type Setting } from '../../../packages/operators/src/migration/testing/use-sets.ts';
import { whyNoPython } from '../../servers/python.ts';
import { whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import type { RabbitMqBroker } from '../../shop/rabbitmq-broker.ts';
import type { LoadedBroker } from './broker-for-load.ts';
import { describeWith } from './describe-with-load.ts';
import { rabbitMqForLoad } from './rabbitmq-for-load.ts';

const why = whyNoRabbitMq() ?? whyNoPython();
const ENDS = ['Completed', 'Failed', 'Rejected', 'Aborted'];

describe.skipIf(why !== undefined)(`the Python sample${why === undefined ? '' : ` [${why}]`}`, () => {
  describeWith(
    { consumer: new URL('./python-consumer.mjs', import.meta.url), start: rabbitMqForLoad },
    {
      title: 'migrations of Python processes',
      controllers: ['statefulset-controller', 'garbage-collector-controller'],
      contract: ({ transport, broker }) => {
        // First: each process of the contract that is killed leaves its queues until they expire.
        describe('a StatefulSet whose pod moves by ShadowPod, and back by Sequential', () =>
          thereAndBack({ transport, broker }));
        migrationContract(transport, broker);
      },
    },
  );
});

type OnRabbitMq = Omit<Setting, 'broker'> & {
  readonly broker: () => LoadedBroker & Pick<RabbitMqBroker, 'queues'>;
};

function thereAndBack(setting: OnRabbitMq): void {
  const { operator, queue, template, pods, move, declare, publish, expectWhole } = useLoad(
    setting,
    'python',
    'python-0',
  );
  const key = { namespace: operator.namespace, name: 'python-0' };
  let source: Stored<corev1.Pod>;

  const readyPod = async () =>
    (await waitForObject(operator.admin, corev1.pods, key, isReady, PATIENT)) as Stored<corev1.Pod>;

  beforeAll(async () => {
    await declare();
    await operator.admin.create(appsv1.statefulsets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'python', namespace: operator.namespace },
      spec: {
        serviceName: 'python',
        replicas: 1,
        selector: { matchLabels: { app: 'python' } },
        template: template(),
      },
    });
    source = await readyPod();
    publish();
  });

  /** It is on that node, and the digests of each handover were equal. */
  const expectMoved = async (name: string, strategy: string, node: string | undefined): Promise<void> => {
    const { status } = await reached(operator, name, ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      consistency: 'ExactlyOnce',
      strategy,
    });
    const { digest, targetDigest } = status?.handover?.cut ?? {};
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(targetDigest).toBe(digest);
    expect((await readyPod()).spec.nodeName).toBe(node);
    expect(await pods()).toHaveLength(1);
  };

  test('MIG-1 MIG-80 it moves beside its shadow, in two handovers', async () => {
    await move('there', key.name, otherNode(source.spec.nodeName), { migrationStrategy: 'ShadowPod' });
    await expectMoved('there', 'ShadowPod', otherNode(source.spec.nodeName));
  });

  test('MIG-5 it moves back by Sequential, and each message was applied once, and in order', async () => {
    await move('back', key.name, source.spec.nodeName ?? '', { migrationStrategy: 'Sequential' });
    await expectMoved('back', 'Sequential', source.spec.nodeName);
    await expectWhole();
  });

  test('the broker has the queues of that pod, and nothing else of the migrations or of pods that are gone', async () => {
    const { uid } = (await readyPod()).metadata;
    const queues = await setting.broker().queues();
    const ours = queues.filter((name) => name.startsWith('ms2m.') || name.includes('.mig.'));
    // The lock is the process's that consumes: the broker deletes it with the connection of each one that is gone.
    expect(ours.toSorted()).toEqual([controlQueue(uid), lockQueue(queue), statusQueue(uid)]);
  });
}
