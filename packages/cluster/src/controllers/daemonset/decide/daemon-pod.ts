import type { appsv1, corev1, Stored } from '@kubewright/kube';
import { podFromTemplate } from '../../workloads/pod-from-template.ts';
import { HASH, POD_GENERATION, TEMPLATE_GENERATION } from '../constants.ts';

type DaemonSet = Stored<appsv1.DaemonSet>;

const NODE_NAME = 'metadata.name';

/** What happens to nodes that daemons stay on, or go to. */
const TOLERATED: readonly (readonly [string, 'NoExecute' | 'NoSchedule'])[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
];
const NO_NETWORK = ['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const;

/** The tolerations of the set's pods: those of the template, and those that every daemon has. */
export function daemonTolerations({ spec }: DaemonSet): readonly corev1.Toleration[] {
  const own = spec.template.spec;
  const added = own?.hostNetwork === true ? [...TOLERATED, NO_NETWORK] : TOLERATED;
  return added.reduce<readonly corev1.Toleration[]>(
    (all, [key, effect]) => withToleration(all, { key, operator: 'Exists', effect }),
    own?.tolerations ?? [],
  );
}

/** In the place of one that is about the same taint. */
function withToleration(
  all: readonly corev1.Toleration[],
  added: corev1.Toleration,
): readonly corev1.Toleration[] {
  const isSame = ({ key, operator, effect, value = '' }: corev1.Toleration): boolean =>
    key === added.key && operator === added.operator && effect === added.effect && value === '';
  return all.some(isSame) ? all.map((one) => (isSame(one) ? added : one)) : [...all, added];
}

/** The pod that the set is to have on a node; the scheduler brings it there. */
export function daemonPod(set: DaemonSet, node: string, hash: string): corev1.Pod {
  const { metadata, ...pod } = podFromTemplate(set.spec.template, set);
  const generation = templateGeneration(set);
  const labels = {
    ...metadata.labels,
    ...(generation === undefined ? {} : { [POD_GENERATION]: generation }),
    [HASH]: hash,
  };
  const affinity = onNode(pod.spec.affinity, node);
  return {
    ...pod,
    metadata: { ...metadata, labels },
    spec: { ...pod.spec, tolerations: daemonTolerations(set), affinity },
  };
}

/** The template fits the node, so that its own requirements have nothing more to say. */
function onNode(affinity: corev1.Affinity | undefined, node: string): corev1.Affinity {
  const matchFields = [{ key: NODE_NAME, operator: 'In' as const, values: [node] }];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: [{ matchFields }] };
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution },
  };
}

/** The node that a pod is on, or is to go to. */
export function targetNode({ spec }: corev1.Pod): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === NODE_NAME && operator === 'In');
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Whether a pod is of the present template, by its hash, or by the number that templates had of old. */
export function isUpdated(set: DaemonSet, hash: string, { metadata }: corev1.Pod): boolean {
  const generation = templateGeneration(set);
  const { labels = {} } = metadata;
  return labels[HASH] === hash || (generation !== undefined && labels[POD_GENERATION] === generation);
}

function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const generation = metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^-?\d+$/.test(generation) ? generation : undefined;
}
