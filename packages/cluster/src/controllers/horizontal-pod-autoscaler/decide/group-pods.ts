import { type corev1, parseTime, type Stored } from '@kubewright/kube';
import type { AutoscalerSettings } from '../autoscaler-settings.ts';

type Pod = Stored<corev1.Pod>;

/** The values of a metrics API for one pod. */
export type PodValue = {
  /** Thousandths. */
  readonly value: number;
  /** When its window ended, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly windowMs: number;
};

/** By the pod's name. */
export type PodValues = ReadonlyMap<string, PodValue>;

/** Pods by what their metrics are worth. */
export type PodGroups = {
  readonly ready: number;
  /** Not ready yet: their metrics tell nothing. */
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  /** On their way out, or failed. */
  readonly ignored: ReadonlySet<string>;
};

type Group = 'ready' | 'unready' | 'missing' | 'ignored';

/** `resource` is `cpu` where readiness decides what a value is worth. `now` is in milliseconds. */
export function groupPods(
  pods: readonly Pod[],
  values: PodValues,
  context: { readonly resource: string; readonly settings: AutoscalerSettings; readonly now: number },
): PodGroups {
  const groups: Record<Group, string[]> = { ready: [], unready: [], missing: [], ignored: [] };
  for (const pod of pods) {
    const name = pod.metadata.name;
    const group = groupOf(pod, values.get(name));
    const unready =
      group === 'ready' && context.resource === 'cpu' && isUnready(pod, values.get(name), context);
    groups[unready ? 'unready' : group].push(name);
  }
  return {
    ready: groups.ready.length,
    unready: new Set(groups.unready),
    missing: new Set(groups.missing),
    ignored: new Set(groups.ignored),
  };
}

function groupOf({ metadata, status }: Pod, value: PodValue | undefined): Group {
  if (metadata.deletionTimestamp !== undefined || status?.phase === 'Failed') return 'ignored';
  if (status?.phase === 'Pending') return 'unready';
  return value === undefined ? 'missing' : 'ready';
}

type Circumstances = { readonly settings: AutoscalerSettings; readonly now: number };

/** A pod that starts uses CPU for that alone: not what it will use when it serves. */
function isUnready({ status }: Pod, value: PodValue | undefined, { settings, now }: Circumstances): boolean {
  const { conditions = [], startTime } = status ?? {};
  const condition = conditions.find(({ type }) => type === 'Ready');
  const started = time(startTime);
  if (condition === undefined || started === undefined || value === undefined) return true;
  const changed = time(condition.lastTransitionTime) ?? 0;
  const isDown = condition.status === 'False';
  const isNew = started + settings.cpuInitializationMs > now;
  const early = value.timestamp < changed + value.windowMs;
  const neverReady = started + settings.readinessDelayMs > changed;
  return isNew ? isDown || early : isDown && neverReady;
}

function time(text: string | null | undefined): number | undefined {
  return text === undefined || text === null ? undefined : parseTime(text).getTime();
}
