import { ignoreNotFound, isTooManyRequests, sleep, systemClock } from '@kubewright/client';
import { controllerOf, corev1, errorText, type KubeObject, type Stored } from '@kubewright/kube';
import { inParallel } from '../../kit/in-parallel.ts';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { OperatorError } from '../../operator-error.ts';
import { STATEFUL_MIGRATIONS } from '../api.ts';
import { beginMigration } from '../evictions/begin-migration.ts';
import { decideEviction } from '../evictions/decide-eviction.ts';
import { queueConfigOf } from '../evictions/migration-of.ts';

const POLL_MS = 1000;
const MIRROR = 'kubernetes.io/config.mirror';

type Pod = Stored<corev1.Pod>;
type Drain = CommandStage & { readonly isOver: () => boolean };

/**
 * `kubewright drain NODE`: cordons a node, moves the pods whose annotations name their queue, with their state, and evicts
 * the rest. Rejects when pods are left; the node stays cordoned.
 */
export async function drainNode(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const timeoutMs = timeoutOf(options['timeout'] ?? '0');
  const stage = await connect();
  const { client, signal, out } = stage;
  const pods = await podsOn(stage, name);
  if (options['force'] === undefined) checkControlled(pods);
  await client.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { unschedulable: true } } });
  out(printable(`node/${name} cordoned\n`));
  if (stage.dryRun !== undefined) {
    for (const pod of pods) progressOf(titleOf(pod), stage)(await step(pod, stage));
    return;
  }
  const end = timeoutMs === 0 ? Infinity : systemClock.monotonic() + timeoutMs;
  const drain = { ...stage, isOver: () => signal.aborted || systemClock.monotonic() > end };
  const left = (await inParallel(pods, (pod) => remove(pod, drain))).filter((one) => one !== undefined);
  if (left.length > 0) throw new OperatorError('TimedOut', printable(`left on ${name}: ${left.join(', ')}`));
  out(printable(`node/${name} drained\n`));
}

function timeoutOf(text: string): number {
  const timeout = parseDuration(text);
  if (timeout !== undefined && timeout >= 0) return timeout;
  throw new OperatorError('Usage', `--timeout "${text}" is not a duration; write it like 90s or 5m`);
}

/** A DaemonSet would create its pod again, and a kubelet those of its own files. */
async function podsOn({ client }: CommandStage, node: string): Promise<readonly Pod[]> {
  await client.get(corev1.nodes, { name: node });
  const { items } = await client.list(corev1.pods, { fieldSelector: `spec.nodeName=${node}` });
  return items.filter(
    (pod) =>
      controllerOf(pod)?.kind !== 'DaemonSet' &&
      pod.metadata.annotations?.[MIRROR] === undefined &&
      !isEnded(pod),
  );
}

function isEnded({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed'].includes(status?.phase ?? '');
}

/** Nobody would create them again. */
function checkControlled(pods: readonly Pod[]): void {
  const lone = pods.filter((pod) => controllerOf(pod) === undefined && queueConfigOf(pod) === undefined);
  if (lone.length === 0) return;
  const names = lone.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
  throw new OperatorError(
    'Usage',
    printable(`no controller would create ${names} again; evict with --force`),
  );
}

/** Resolves when the pod is not on its node any more, or with its name where it is left. */
async function remove({ metadata }: Pod, drain: Drain): Promise<string | undefined> {
  const { namespace, name, uid } = metadata;
  const say = progressOf(titleOf({ metadata }), drain);
  while (!drain.isOver()) {
    const pod = await ignoreNotFound(drain.client.get(corev1.pods, { namespace, name }));
    if (pod === undefined || pod.metadata.uid !== uid) {
      say(pod === undefined ? ' is gone' : ` is on node ${pod.spec.nodeName}`);
      return undefined;
    }
    if (pod.metadata.deletionTimestamp === undefined) say(await step(pod, drain));
    await sleep(systemClock, POLL_MS, drain.signal);
  }
  return `${namespace}/${name}`;
}

function titleOf({ metadata: { namespace, name } }: Pick<Pod, 'metadata'>): string {
  return `pod/${name} in ${namespace}`;
}

function progressOf(pod: string, { out }: Pick<Drain, 'out'>): (what: string) => void {
  let shown = '';
  return (what) => {
    if (what !== shown) out(printable(`${pod}${what}\n`));
    shown = what;
  };
}

/** What is done with the pod now. */
async function step(pod: Pod, { client }: Pick<Drain, 'client'>): Promise<string> {
  if (queueConfigOf(pod) === undefined) return evict(pod, client);
  const [{ items: nodes }, { items: migrations }] = await Promise.all([
    client.list(corev1.nodes),
    client.list(STATEFUL_MIGRATIONS),
  ]);
  const decision = decideEviction({ pod, nodes, migrations }, new Date(systemClock.now()));
  if (decision.type === 'allow') return evict(pod, client);
  if (decision.type === 'move') await beginMigration(client, decision.migration);
  return `: ${decision.message}`;
}

async function evict({ metadata }: Pod, client: Drain['client']): Promise<string> {
  const { namespace, name, uid } = metadata;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid } },
  };
  try {
    await ignoreNotFound(client.create<KubeObject>(corev1.pods, eviction, { subresource: 'eviction' }));
    return ' is evicted';
  } catch (error) {
    if (!isTooManyRequests(error)) throw error;
    return `: ${errorText(error)}`;
  }
}
