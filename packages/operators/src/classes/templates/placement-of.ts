import { type ApplyConfiguration, type corev1, defined } from '@kubewright/kube';
import { type ClassRuntime, LABELS, NODE_LABELS } from '../api.ts';
import type { Settings } from '../settings.ts';

type PodSpec = NonNullable<ApplyConfiguration<corev1.Pod>['spec']>;
type Placed = Pick<PodSpec, 'nodeSelector' | 'tolerations' | 'affinity' | 'topologySpreadConstraints'>;
type Placement = NonNullable<ClassRuntime['spec']['placement']>;

/** Where nodes have what a class asks for, and what the whole environment has of it. */
const HINTS = [
  ['regions', NODE_LABELS.region, 'region'],
  ['zones', NODE_LABELS.zone, 'zone'],
  ['hw_classes', NODE_LABELS.hardware, 'hwClass'],
] as const;

/** Why a class cannot run in this environment, so that whoever deploys it can choose another one. */
export function misfitOf({ spec: { placement = {} } }: ClassRuntime, settings: Settings): string | undefined {
  for (const [field, , setting] of HINTS) {
    const [wanted = [], here] = [placement[field], settings[setting]];
    if (wanted.length > 0 && here !== undefined && !wanted.includes(here))
      return `PlacementMismatch: ${field} is ${wanted.join(', ')}, and this environment is in ${here}`;
  }
  return undefined;
}

/** The fields of a pod that say where it runs. `labels`: those of the pods that are spread. */
export function placementOf(
  { spec: { placement } }: ClassRuntime,
  settings: Settings,
  labels: Readonly<Record<string, string>>,
): Placed {
  if (placement === undefined) return {};
  const { node_selector: nodeSelector, tolerations } = placement;
  return defined({
    nodeSelector,
    tolerations,
    affinity: affinityOf(placement, settings),
    topologySpreadConstraints: spreadOf(placement, labels),
  });
}

/** What the whole environment has, its nodes need not be labelled with. */
function affinityOf(placement: Placement, settings: Settings): Placed['affinity'] {
  const matchExpressions = HINTS.flatMap(([field, key, setting]) => {
    const values = placement[field] ?? [];
    return values.length === 0 || settings[setting] !== undefined
      ? []
      : [{ key, operator: 'In' as const, values }];
  });
  if (matchExpressions.length === 0) return undefined;
  const nodeSelectorTerms = [{ matchExpressions }];
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

/** Pods come as near to it as they can: none waits for it. */
function spreadOf(
  { spread = 'none' }: Placement,
  { app = '', [LABELS.owner]: owner = '' }: Readonly<Record<string, string>>,
): Placed['topologySpreadConstraints'] {
  if (spread === 'none') return undefined;
  const topologyKey = spread === 'zone' ? NODE_LABELS.zone : 'kubernetes.io/hostname';
  const labelSelector = { matchLabels: { app, [LABELS.owner]: owner } };
  return [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway', labelSelector }];
}
