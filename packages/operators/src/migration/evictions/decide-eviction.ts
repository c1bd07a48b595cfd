import type { corev1, KubeObject, Stored } from '@kubewright/kube';
import { EVICTED_POD, isTerminal, LABELS, type StatefulMigration } from '../api.ts';
import type { LivePod } from '../decide/observed-migration.ts';
import { isRunning } from '../decide/source-of.ts';
import { chooseNode } from './choose-node.ts';
import { migrationOf, queueConfigOf } from './migration-of.ts';

export type ObservedEviction = {
  readonly pod: LivePod;
  readonly nodes: readonly Stored<corev1.Node>[];
  /** Of all namespaces. */
  readonly migrations: readonly StatefulMigration[];
};

export type EvictionDecision =
  /** The pod is evicted like any other. */
  | { readonly type: 'allow' }
  /** It is moved; the caller tries again later. */
  | { readonly type: 'wait'; readonly message: string }
  /** The same, and the migration begins. */
  | { readonly type: 'move'; readonly message: string; readonly migration: KubeObject }
  /** It has moved: what runs under its name now is not the pod that was to be evicted. */
  | { readonly type: 'moved'; readonly message: string };

/** Callers of evictions try again within it, and hear that the pod has moved. */
const TTL_SECONDS = 300;
/** Between two attempts to move a pod. */
const RETRY_SECONDS = 30;
/** Of the name of the pod, in that of its migration. */
const LONGEST_NAME = 200;

/** A pod whose annotations name its queue is moved to another node, and is never evicted with its state. */
export function decideEviction(observed: ObservedEviction, now: Date): EvictionDecision {
  const { pod, migrations } = observed;
  const { uid, name } = pod.metadata;
  if (queueConfigOf(pod) === undefined || !isRunning(pod)) return { type: 'allow' };
  const open = migrations.find((one) => isOpen(one) && concerns(one, pod));
  if (open !== undefined) return wait(`pod ${name} takes part in migration ${titleOf(open)}`);
  const brought = migrations.find((one) => isByEviction(one) && hasBrought(one, uid));
  if (brought !== undefined && !isToLeave(observed))
    return { type: 'moved', message: `pod ${name} has moved to node ${brought.spec.targetNode}` };
  const attempts = migrations.filter(({ metadata }) => metadata.labels?.[EVICTED_POD] === uid);
  const failed = attempts.find((one) => secondsSince(one, now) < RETRY_SECONDS);
  if (failed !== undefined) return wait(`pod ${name} is kept with its state: migration ${titleOf(failed)}`);
  return begin(observed, attempts);
}

function wait(message: string): EvictionDecision {
  return { type: 'wait', message };
}

function isOpen({ spec, status = { handedOver: false } }: StatefulMigration): boolean {
  return !spec.dryRun && !isTerminal(status);
}

/** It moves the pod, or the pod is made for it. */
function concerns({ metadata, spec }: StatefulMigration, pod: LivePod): boolean {
  const isOfNamespace = metadata.namespace === pod.metadata.namespace;
  const isNamed = spec.sourcePod === pod.metadata.name;
  return isOfNamespace && (isNamed || pod.metadata.labels?.[LABELS.migration] === metadata.uid);
}

function isByEviction({ metadata }: StatefulMigration): boolean {
  return metadata.labels?.[EVICTED_POD] !== undefined;
}

function hasBrought({ status }: StatefulMigration, uid: string): boolean {
  return status?.phase === 'Completed' && status.handover?.to.uid === uid;
}

/** Its node is drained too. */
function isToLeave({ pod, nodes }: ObservedEviction): boolean {
  const node = nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName);
  return node?.spec?.unschedulable === true;
}

function secondsSince({ status }: StatefulMigration, now: Date): number {
  const end = Date.parse(status?.completionTime ?? '');
  return Number.isNaN(end) ? Infinity : (now.getTime() - end) / 1000;
}

function titleOf({ metadata, status }: StatefulMigration): string {
  const { phase = 'Pending', message = '', progress = 0 } = status ?? {};
  const how = isTerminal(status ?? { handedOver: false }) ? `${phase}, ${message}` : `${phase}, ${progress}%`;
  return `${metadata.name} (${how})`;
}

/** Named after the pod and the attempt, so that two webhooks at once begin one. */
function begin(
  { pod, nodes, migrations }: ObservedEviction,
  attempts: readonly StatefulMigration[],
): EvictionDecision {
  const { name, uid } = pod.metadata;
  const messageQueueConfig = queueConfigOf(pod);
  const open = migrations.filter(isOpen).map(({ spec }) => spec.targetNode);
  const tried = attempts.map(({ spec }) => spec.targetNode);
  const targetNode = chooseNode(pod, nodes, { open, tried });
  if (targetNode === undefined || messageQueueConfig === undefined)
    return wait(`pod ${name} is kept with its state: no other node is ready for it`);
  const metadata = {
    name: `evict-${name.slice(0, LONGEST_NAME)}-${uid.slice(0, 8)}-${attempts.length}`,
    labels: { [EVICTED_POD]: uid },
  };
  const move = { pod, targetNode, messageQueueConfig, metadata, ttlSecondsAfterFinished: TTL_SECONDS };
  return {
    type: 'move',
    message: `pod ${name} moves to node ${targetNode}, by migration ${metadata.name}`,
    migration: migrationOf(move),
  };
}
