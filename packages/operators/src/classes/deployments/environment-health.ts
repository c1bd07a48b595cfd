import type { corev1, Stored } from '@kubewright/kube';
import type { ClassRuntime } from '../api.ts';

/** Reasons by which a class says that the cluster has no room for it. */
const FULL: readonly string[] = ['Unschedulable', 'ReplicaFailure'];

type Seen = {
  readonly nodes: readonly Stored<corev1.Node>[];
  readonly classes: readonly ClassRuntime[];
  /** Reported in place of what is computed. */
  readonly availability?: number | undefined;
};

/** Whether the cluster is a good place for more classes: its nodes that are ready, and classes that find no room. */
export function environmentHealth({ nodes, classes, availability }: Seen): object {
  const ready = nodes.filter((node) => isReady(node)).length;
  const full = classes.filter(({ status }) =>
    status?.lifecycle?.reasons?.some((each) => FULL.includes(each)),
  );
  const share = nodes.length === 0 ? 0 : ready / nodes.length;
  const room = classes.length === 0 ? 1 : 1 - full.length / classes.length;
  return {
    status: statusOf(share, full.length),
    node_count: nodes.length,
    ready_nodes: ready,
    availability: availability ?? share * room,
    classes_by_phase: countBy(classes, ({ status }) => [status?.phase ?? 'none']),
    classes_by_reason: countBy(classes, ({ status }) => status?.lifecycle?.reasons ?? []),
  };
}

function statusOf(share: number, full: number): string {
  if (share < 0.5) return 'Degraded';
  return full > 0 ? 'Saturated' : 'Healthy';
}

function isReady({ status }: Stored<corev1.Node>): boolean {
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
}

function countBy(
  classes: readonly ClassRuntime[],
  namesOf: (one: ClassRuntime) => readonly string[],
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of classes.flatMap((one) => namesOf(one))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
