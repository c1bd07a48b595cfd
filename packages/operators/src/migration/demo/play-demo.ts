import { onAbort, sleep, systemClock } from '@kubewright/client';
import { appsv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { demoNamespace } from '../../kit/demo-namespace.ts';
import type { DemoStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { GROUP, isTerminal, STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';
import { serveAmqp } from '../brokers/amqp/serve-amqp.ts';
import { InProcessBroker } from '../brokers/in-process/in-process-broker.ts';
import { rawMessage } from '../brokers/in-process/raw-message.ts';
import type { Totals } from './consumer.ts';
import { consumerSet, EXCHANGE, NAMESPACE, QUEUE } from './consumer-set.ts';
import { type Load, startLoad } from './start-load.ts';

const POD = { namespace: NAMESPACE, name: 'consumer-0' };
const MOVE = { namespace: NAMESPACE, name: 'move' };
const PER_SECOND = 40;
/** The number of messages in the pod's memory before it moves. */
const WARM = 40;
/** On a slow machine there are fewer a second: a queue that only grows is never empty. */
const MOST_WAITING = 200;
const POLL_MS = 50;
const PATIENCE_MS = 180_000;

type Scene = DemoStage & { readonly say: (text: string) => void; readonly brokerUrl: string };

/**
 * The pod of a StatefulSet moves to another node under load: each message is applied once, and the StatefulSet owns its
 * pod again. The broker runs in this process until the signal is aborted.
 */
export async function playDemo(stage: DemoStage): Promise<void> {
  const broker = new InProcessBroker();
  broker.declareExchange(EXCHANGE, 'direct');
  broker.declareQueue(QUEUE);
  broker.bind(EXCHANGE, { queue: QUEUE, routingKey: QUEUE });
  await demoNamespace(stage, NAMESPACE);
  const server = await serveAmqp(broker);
  onAbort(stage.signal, () => void server.close());
  const say = (text: string): void => stage.out(`   ${text}\n`);
  const scene = { ...stage, say, brokerUrl: server.url };
  const publish = async (message: Parameters<typeof rawMessage>[0]): Promise<void> =>
    void broker.publish(EXCHANGE, QUEUE, rawMessage(message));
  const isFollowed = (): boolean => (broker.queues.get(QUEUE)?.ready ?? 0) < MOST_WAITING;
  const load = startLoad({
    producer: 'shop',
    perSecond: PER_SECOND,
    publish,
    mayPublish: isFollowed,
    clock: systemClock,
  });
  try {
    const source = await consume(scene);
    await move(scene, source, load);
    await isTheSetsPod(scene, source);
    await count(scene, await load.stop());
    say('The broker is in this process. As long as it runs, this command moves the pod back:');
    say(`  ${commandLine(source.spec.nodeName ?? '', server.url)}`);
  } finally {
    await load.stop();
  }
}

async function consume(scene: Scene): Promise<Stored<corev1.Pod>> {
  const { client, say, brokerUrl } = scene;
  await client.create(appsv1.statefulsets, consumerSet(brokerUrl));
  const source = await readyPod(scene);
  const { applied } = await totalsWhen(scene, (totals) => totals.applied >= WARM);
  say(
    `StatefulSet consumer runs consumer-0 on ${source.spec.nodeName}: a Node.js process that consumes numbered messages from`,
  );
  say(`a queue, ${PER_SECOND} a second. The totals of the first ${applied} are only in its memory.`);
  return source;
}

async function move(scene: Scene, source: corev1.Pod, load: Load): Promise<void> {
  const { client, say, paint, signal, brokerUrl: url } = scene;
  const targetNode = await anotherNode(scene, source);
  const before = { time: systemClock.monotonic(), published: load.published };
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'StatefulMigration',
    metadata: MOVE,
    spec: {
      sourcePod: POD.name,
      targetNode,
      messageQueueConfig: { queueName: QUEUE, exchangeName: EXCHANGE, routingKey: QUEUE, brokerUrl: url },
    },
  });
  say(`A StatefulMigration moves it to ${targetNode}, while messages come in:`);
  const phases = new Set<string>();
  const isOver = (live: StatefulMigration | undefined): boolean => {
    if (live?.status?.phase !== undefined) phases.add(live.status.phase);
    return live?.status !== undefined && isTerminal(live.status);
  };
  const options = { timeoutMs: PATIENCE_MS, signal };
  const { status } = (await waitForObject(client, STATEFUL_MIGRATIONS, MOVE, isOver, options)) ?? {};
  if (status?.phase !== 'Completed')
    throw new OperatorError('Failed', `the migration is ${status?.phase}: ${status?.message}`);
  say(`  ${[...phases].join(' -> ')}`);
  const seconds = ((systemClock.monotonic() - before.time) / 1000).toFixed(1);
  const meanwhile = load.published - before.published;
  say(`${paint('green', 'Completed')} after ${seconds} s, in which ${meanwhile} messages were published.`);
}

async function isTheSetsPod(scene: Scene, source: Stored<corev1.Pod>): Promise<void> {
  const { client, say } = scene;
  const { metadata, spec } = await readyPod(scene);
  const set = await client.get(appsv1.statefulsets, { namespace: NAMESPACE, name: 'consumer' });
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const isMoved = metadata.uid !== source.metadata.uid && spec.nodeName !== source.spec.nodeName;
  if (!isMoved || owner?.uid !== set.metadata.uid)
    throw new OperatorError('Failed', 'consumer-0 was not moved, or its StatefulSet does not own it');
  if (set.metadata.generation !== 1) throw new OperatorError('Failed', 'the StatefulSet was changed');
  say(
    `consumer-0 runs on ${spec.nodeName}. StatefulSet consumer owns it, and the set has not changed (generation 1).`,
  );
}

async function count(scene: Scene, published: number): Promise<void> {
  const { last, applied, missing, double } = await totalsWhen(scene, (totals) => totals.last >= published);
  const verdict = `published ${published}, applied ${applied}, missing ${missing}, double ${double}`;
  if (applied !== published || last !== published || missing !== 0 || double !== 0)
    throw new OperatorError('Failed', verdict);
  scene.say(`The totals after the move: ${scene.paint('green', verdict)}.`);
}

async function readyPod({ client, signal }: Scene): Promise<Stored<corev1.Pod>> {
  const isThere = (pod: corev1.Pod | undefined): boolean => isReady(pod?.status?.conditions);
  const pod = await waitForObject(client, corev1.pods, POD, isThere, { timeoutMs: PATIENCE_MS, signal });
  if (pod === undefined) throw new OperatorError('NotFound', 'consumer-0 is gone');
  return pod;
}

function isReady(conditions: readonly { readonly type: string; readonly status: string }[] = []): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

async function anotherNode({ client }: Scene, { spec }: corev1.Pod): Promise<string> {
  const { items } = await client.list(corev1.nodes);
  const node = items.find(
    (one) =>
      one.metadata.name !== spec.nodeName &&
      one.spec?.unschedulable !== true &&
      isReady(one.status?.conditions),
  );
  if (node === undefined) throw new OperatorError('Failed', 'there is no second node to move the pod to');
  return node.metadata.name;
}

/** The last totals that the consumer printed, once they match. */
async function totalsWhen({ log, signal }: Scene, isSo: (totals: Totals) => boolean): Promise<Totals> {
  let line = '';
  for (let waited = 0; waited < PATIENCE_MS && !signal.aborted; waited += POLL_MS) {
    line = (await log(POD, { tailLines: 1 })).trim();
    const totals = totalsOf(line);
    if (totals !== undefined && isSo(totals)) return totals;
    await sleep(systemClock, POLL_MS, signal);
  }
  throw new OperatorError('TimedOut', `consumer-0 does not consume; its log ends with '${line}'`);
}

/** Without the image, on another cluster, the log may contain anything. */
function totalsOf(line: string): Totals | undefined {
  return /^\{"applied":\d+,"last":\d+,"missing":\d+,"double":\d+\}$/.test(line)
    ? (JSON.parse(line) as Totals)
    : undefined;
}

function commandLine(node: string, url: string): string {
  const queue = `--queue ${QUEUE} --exchange ${EXCHANGE} --routing-key ${QUEUE} --broker ${url}`;
  return `npx kubewright migrate pod ${POD.name} -n ${NAMESPACE} --to ${node} ${queue}`;
}
