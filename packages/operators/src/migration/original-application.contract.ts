import { systemClock } from '@kubewright/client';
import { appsv1, corev1, type Transport } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { LABELS, STATEFUL_MIGRATIONS } from './api.ts';
import { migrationParts } from './controller.ts';
import { type Load, startLoad } from './demo/start-load.ts';
import { mirrorName } from './mirror-name.ts';
import { processControlQueue } from './process-queues.ts';
import { checkApplied } from './testing/check-applied.ts';
import {
  appliedBy,
  type BrokerForLoad,
  ENDS,
  isReady,
  moveCalls,
  PATIENT,
  PATIENT_POLL,
  reached,
} from './testing/migration-calls.ts';

/** Containers of this image are applications of the original system; nodes of the cluster under test need to know. */
export const ORIGINAL_CONSUMER = 'original-consumer:1';

export type OriginalSetting = {
  readonly transport: () => Transport;
  readonly broker: () => BrokerForLoad & { exists(queue: string): Promise<boolean> };
  /** Of agents that reach the nodes of the cluster. */
  readonly agents: () => {
    readonly url: string;
    readonly token: string;
    /** Files. */
    readonly ca?: string;
    readonly certificate?: { readonly certFile: string; readonly keyFile: string };
  };
  /** How many archives of checkpoints the nodes have. */
  readonly archives: () => Promise<number>;
  /** With which the application declares each queue that it consumes. */
  readonly queueArguments?: Readonly<Record<string, string | number>>;
  /** Of the containers. Default: {@link ORIGINAL_CONSUMER}. */
  readonly image?: string;
  /** What the consumer of a pod has in memory. Default: what its log says. */
  readonly applied?: typeof appliedBy;
  /** What a process has that no other has, and keeps; default: it is not compared. */
  readonly identity?: (transport: Transport, key: { namespace: string; name: string }) => Promise<unknown>;
};

const PRODUCERS = ['till', 'web', 'phone', 'shop'];
/** Of each; together less than the application can apply. */
const PER_SECOND = 8;

/** An application without the SDK: its process moves, in a checkpoint. */
export function originalApplicationContract(setting: OriginalSetting, suites = ORIGINAL_SUITES): void {
  for (const [title, suite] of suites) describe(title, () => suite(setting));
}

export const ORIGINAL_SUITES: readonly (readonly [
  title: string,
  suite: (setting: OriginalSetting) => void,
])[] = [
  ['a pod of the original system that nobody controls', ofNobody],
  ['a StatefulSet of the original system', ofStatefulSet],
];

/** An operator, and a place for applications of the original system and their load. */
export function useOriginal(setting: OriginalSetting, app: string) {
  const {
    transport,
    broker,
    agents,
    archives,
    image = ORIGINAL_CONSUMER,
    applied = appliedBy,
    identity,
    queueArguments = {},
  } = setting;
  const env = {
    get MS2M_AGENT_URL() {
      return agents().url;
    },
    // That of real nodes is not on the loopback.
    MS2M_BROKERS: '*',
    MS2M_REGISTRIES: '*',
    get MS2M_AGENT_TOKEN() {
      return agents().token;
    },
    get MS2M_AGENT_CA() {
      return agents().ca;
    },
    get MS2M_AGENT_CLIENT_CERT() {
      return agents().certificate?.certFile;
    },
    get MS2M_AGENT_CLIENT_KEY() {
      return agents().certificate?.keyFile;
    },
  };
  const operator = useOperator(transport, migrationParts, { env });
  const { namespace } = operator;
  // The names of pods are in the names of queues: those of another cluster's suite must differ.
  const name = `${app}-${namespace.slice(-8)}`;
  const queue = `${name}-events`;
  const loads: Load[] = [];
  const podOf = async (pod: string): Promise<corev1.Pod> => {
    const key = { namespace, name: pod };
    const found = await waitForObject(operator.admin, corev1.pods, key, isReady, PATIENT);
    if (found === undefined) throw new TypeError('the pod is gone');
    return found;
  };
  const template = () => ({
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          name: 'consumer',
          image,
          env: [
            { name: 'RABBITMQ_URL', value: asGuest(broker().url) },
            { name: 'QUEUE_NAME', value: queue },
            { name: 'EXCHANGE_NAME', value: 'orders' },
            { name: 'PROCESSING_DELAY_MS', value: '10' },
            { name: 'QUEUE_ARGUMENTS', value: JSON.stringify(queueArguments) },
          ],
        },
      ],
    },
  });
  return {
    operator,
    name,
    identityOf: (pod: string) => identity?.(transport(), { namespace, name: pod }),
    podOf,
    template,
    move: moveCalls(() => operator, { queue, broker }),
    publish: (): void => {
      const publish = (message: Message): Promise<void> => broker().publish(queue, message);
      for (const producer of PRODUCERS)
        loads.push(startLoad({ producer, perSecond: PER_SECOND, publish, clock: systemClock }));
    },
    declare: (): Promise<void> => broker().declare(queue),
    /** The only pod has applied each message once. Their order is not promised: the process gives back what it was sent. */
    expectWhole: async (pod: string): Promise<void> => {
      const counts = await Promise.all(loads.map((load) => load.stop()));
      const published = new Map(PRODUCERS.map((producer, index) => [producer, counts[index] ?? 0]));
      const verdict = async () =>
        checkApplied(await applied(transport(), { namespace, name: pod }), published);
      await expect.poll(verdict, PATIENT_POLL).toMatchObject({ missing: [], double: [] });
    },
    /** Nothing of these migrations is in the namespace or at the broker. */
    expectNothingLeft: async (migrations: readonly string[], pod: string): Promise<void> => {
      const { items } = await operator.admin.list(corev1.pods, { namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual([pod]);
      for (const migration of migrations) {
        const live = await operator.admin.get(STATEFUL_MIGRATIONS, { namespace, name: migration });
        const epochs = [1, 2, 3].map((epoch) => mirrorName(live, epoch));
        const queues = [...epochs, processControlQueue(`${name}-0-shadow`)];
        const left = await Promise.all(queues.map((one) => broker().exists(one)));
        expect(queues.filter((_one, index) => left[index])).toEqual([]);
      }
      expect(await archives()).toBe(0);
    },
  };
}

/** Its client takes credentials from the URL alone. */
function asGuest(url: string): string {
  return url.replace('://', '://guest:guest@');
}

function otherNode({ spec }: corev1.Pod): string {
  return spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
}

function ofStatefulSet(setting: OriginalSetting): void {
  const suite = useOriginal(setting, 'original');
  const { operator, name, podOf, template, move, declare, publish } = suite;
  const { namespace } = operator;
  const pod = `${name}-0`;
  let source: corev1.Pod;
  let born: unknown;

  beforeAll(async () => {
    await declare();
    await operator.admin.create(appsv1.statefulsets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name, namespace },
      spec: {
        serviceName: name,
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: template(),
      },
    });
    source = await podOf(pod);
    born = await suite.identityOf(pod);
    publish();
  });

  test('MIG-71 the plan says which guarantee it gives, and how', async () => {
    await move('plan', pod, otherNode(source), { dryRun: true });
    const { status } = await reached(operator, 'plan', ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      plan: { backend: 'Checkpoint', consistency: 'ExactlyOnce', strategy: 'ShadowPod' },
    });
    expect(status?.plan).not.toHaveProperty('messagesPerSecond');
  });

  test('MIG-38 aborted while the process stands still, the source goes on, and nothing is left', async () => {
    await move('aborted', pod, otherNode(source));
    await reached(operator, 'aborted', ['Transferring', 'Restoring']);
    const body = { spec: { abort: true } };
    await operator.admin.patch(STATEFUL_MIGRATIONS, { namespace, name: 'aborted' }, { type: 'merge', body });
    const { status } = await reached(operator, 'aborted', ENDS);
    expect(status, status?.message).toMatchObject({ phase: 'Aborted' });
    const live = await podOf(pod);
    expect(live.metadata.uid).toBe(source.metadata.uid);
    expect(live.metadata.labels).not.toHaveProperty(LABELS.role);
    await suite.expectNothingLeft(['aborted'], pod);
  });

  test('MIG-1 it moves under load: the StatefulSet is as it was, and its pod is on the other node', async () => {
    await move('first', pod, otherNode(source));
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      backend: 'Checkpoint',
      consistency: 'ExactlyOnce',
      checkpointID: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      reCheckpointID: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const live = await podOf(pod);
    expect(live.metadata.uid).not.toBe(source.metadata.uid);
    expect(live.spec.nodeName).toBe(otherNode(source));
    expect(live.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', controller: true }]);
    const set = await operator.admin.get(appsv1.statefulsets, { namespace, name });
    expect(set.metadata.generation).toBe(1);
    expect(await suite.identityOf(pod)).toEqual(born);
    await suite.expectNothingLeft(['aborted', 'first'], pod);
  });

  test('MIG-5 Sequential: it moves back in one checkpoint, and there is no other pod meanwhile', async () => {
    await move('back', pod, source.spec.nodeName ?? '', { migrationStrategy: 'Sequential' });
    const { status } = await reached(operator, 'back', ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      strategy: 'Sequential',
      handover: { epoch: 1 },
    });
    expect(status).not.toHaveProperty('reCheckpointID');
    const live = await podOf(pod);
    expect(live.spec.nodeName).toBe(source.spec.nodeName);
    expect(live.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', controller: true }]);
    expect(await suite.identityOf(pod)).toEqual(born);
    await suite.expectNothingLeft(['back'], pod);
  });

  test('MIG-12 it moves once more, and has applied what four producers published, each message once', async () => {
    await move('again', pod, otherNode(source));
    const { status } = await reached(operator, 'again', ENDS);
    expect(status?.phase, status?.message).toBe('Completed');
    await suite.expectNothingLeft(['aborted', 'first', 'back', 'again'], pod);
    expect(await suite.identityOf(pod)).toEqual(born);
    await suite.expectWhole(pod);
  });
}

function ofNobody(setting: OriginalSetting): void {
  const suite = useOriginal(setting, 'solo');
  const { operator, name, podOf, template, move, declare, publish } = suite;
  const { namespace } = operator;
  const pod = `${name}-0`;
  let source: corev1.Pod;
  let born: unknown;

  beforeAll(async () => {
    await declare();
    const { metadata, spec } = template();
    await operator.admin.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: pod, namespace },
      spec,
    });
    source = await podOf(pod);
    born = await suite.identityOf(pod);
    publish();
  });

  test('MIG-7 the restored pod stays, without a controller, and has applied each message once', async () => {
    await move('first', pod, otherNode(source));
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({ phase: 'Completed', backend: 'Checkpoint' });
    const { metadata, spec } = await podOf(`${pod}-shadow`);
    expect(metadata).not.toHaveProperty('ownerReferences');
    expect(spec.nodeName).toBe(otherNode(source));
    expect(await suite.identityOf(`${pod}-shadow`)).toEqual(born);
  });

  test('MIG-7 it moves back under its first name, and has applied each message once', async () => {
    await move('back', `${pod}-shadow`, source.spec.nodeName ?? '');
    const { status } = await reached(operator, 'back', ENDS);
    expect(status, status?.message).toMatchObject({ phase: 'Completed', backend: 'Checkpoint' });
    expect((await podOf(pod)).spec.nodeName).toBe(source.spec.nodeName);
    expect(await suite.identityOf(pod)).toEqual(born);
    await suite.expectWhole(pod);
  });
}
