import type { corev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isAvailable, isReady } from '../../workloads/pod-state.ts';
import { HASH } from '../constants.ts';
import type { Observed, Work } from './daemon-set-decision.ts';
import type { NodeFit } from './node-fit.ts';
import { eldestFirst, isLeaving, isScheduled, type PodsByNode } from './pods-by-node.ts';
import { allowsSurge } from './limits.ts';

type Pod = Stored<corev1.Pod>;

export type Managed = Work & {
  readonly events: readonly EventNote[];
  readonly failedOn: readonly string[];
  /** The shortest wait of a failed pod that is left alone for now. */
  readonly wait?: number;
};

/** Sees to it that each node that should has its pod, and no other node has one. `now` is in milliseconds. */
export function manage(
  observed: Observed,
  {
    there,
    fit,
    now,
  }: {
    readonly there: PodsByNode;
    readonly fit: (node: Stored<corev1.Node>) => NodeFit;
    readonly now: number;
  },
): Managed {
  const parts = observed.nodes.map((node) => {
    const name = node.metadata.name;
    return manageNode(observed, { name, fit: fit(node), pods: there.get(name), now });
  });
  const waits = parts.flatMap(({ wait }) => wait ?? []);
  const remove = [...parts.flatMap((part) => part.remove), ...withoutNode(observed, there)];
  return {
    create: parts.flatMap(({ create }) => create),
    remove,
    events: parts.flatMap(({ events }) => events),
    failedOn: parts.flatMap(({ failedOn }) => failedOn),
    ...(waits.length === 0 ? {} : { wait: Math.min(...waits) }),
  };
}

const NOTHING: Managed = { create: [], remove: [], events: [], failedOn: [] };

type There = {
  readonly name: string;
  readonly fit: NodeFit;
  readonly pods: readonly Pod[] | undefined;
  readonly now: number;
};

function manageNode(observed: Observed, { name, fit, pods, now }: There): Managed {
  if (pods === undefined) return fit.run ? { ...NOTHING, create: [name] } : NOTHING;
  const staying = pods.filter((pod) => !isLeaving(pod));
  if (!fit.stay) return { ...NOTHING, remove: staying };
  const over = endOver(observed, name, staying);
  const running = eldestFirst(
    staying.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded'),
  );
  if (!allowsSurge(observed.set)) return { ...over, remove: [...over.remove, ...running.slice(1)] };
  if (running.length === 0) return { ...over, create: fit.run ? [name] : [] };
  return { ...over, remove: [...over.remove, ...surplus(observed, running, now)] };
}

/** Pods that have ended are removed: succeeded ones at once, failed ones ever more slowly. */
function endOver({ failureWait }: Observed, node: string, pods: readonly Pod[]): Managed {
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded');
  const wait = failed.length === 0 ? 0 : failureWait(node);
  // The first failure of several begins the wait for the others.
  const [first] = failed;
  const ended = wait <= 0 && first !== undefined ? [first] : [];
  return {
    ...NOTHING,
    remove: [...ended, ...succeeded],
    events: [
      ...ended.map((pod) => failedNote(pod, node)),
      ...succeeded.map((pod) => succeededNote(pod, node)),
    ],
    failedOn: ended.map(() => node),
    ...(wait > 0 ? { wait } : {}),
  };
}

function failedNote({ metadata }: Pod, node: string): EventNote {
  const message = `Found failed daemon pod ${metadata.namespace}/${metadata.name} on node ${node}, will try to kill it`;
  return { type: 'Warning', reason: 'FailedDaemonPod', message };
}

function succeededNote({ metadata }: Pod, node: string): EventNote {
  const message = `Found succeeded daemon pod ${metadata.namespace}/${metadata.name} on node ${node}, will try to delete it`;
  return { type: 'Normal', reason: 'SucceededDaemonPod', message };
}

/**
 * With surge, two pods may share a node while the old one is ready and the new one is not available yet. `running` are
 * the eldest first.
 */
function surplus({ set, hash }: Observed, running: readonly Pod[], now: number): readonly Pod[] {
  if (running.length === 1) return [];
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[HASH] === hash;
  const eldestNew = running.find(isNew);
  const eldestOld = running.find((pod) => !isNew(pod));
  const others = running.filter((pod) => pod !== eldestNew && pod !== eldestOld);
  if (eldestNew === undefined || eldestOld === undefined) return others;
  const replaced = !isReady(eldestOld) || isAvailable(eldestNew, set.spec.minReadySeconds ?? 0, now);
  return replaced ? [...others, eldestOld] : others;
}

/** Pods that wait for a node that is gone: no other controller would remove them. */
function withoutNode({ nodes }: Observed, there: PodsByNode): readonly Pod[] {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  return [...there].flatMap(([node, pods]) =>
    known.has(node) ? [] : pods.filter((pod) => !isScheduled(pod)),
  );
}
