import { compareText, type corev1 } from '@kubewright/kube';
import type { Settings } from '../settings.ts';
import type { Rendering } from '../templates/rendering.ts';
import type { LoadTarget } from './load-queries.ts';

type Pod = Pick<corev1.Pod, 'status'> & {
  readonly metadata: Pick<corev1.Pod['metadata'], 'labels' | 'deletionTimestamp' | 'creationTimestamp'> & {
    readonly name: string;
  };
};

/** A function that has pods of its own, and these. */
export type FunctionTarget = {
  readonly key: string;
  readonly workload: string;
  readonly target: Omit<LoadTarget, 'gone'>;
};

/** Where functions run. */
export type Running = {
  readonly namespace: string;
  /** Those of the class. */
  readonly pods: readonly Pod[];
  readonly settings: Pick<Settings, 'promRange' | 'dialect'>;
  /** Milliseconds since 1970. */
  readonly now: number;
};

export function functionTargets(
  { functions, template }: Rendering,
  running: Running,
): readonly FunctionTarget[] {
  const { dialect } = running.settings;
  return functions.flatMap(({ key, workload, service }) => {
    if (workload === undefined) return [];
    const knative = template === 'knative' ? { service, dialect } : undefined;
    return { key, workload, target: { ...targetOf(workload, running), knative } };
  });
}

/** The running pods of a workload, sorted by name, each with the seconds for which it has run. */
export function targetOf(
  workload: string,
  { namespace, pods, settings, now }: Running,
): Omit<LoadTarget, 'gone'> {
  const all = pods.filter(
    ({ metadata, status }) =>
      metadata.labels?.['app'] === workload &&
      metadata.deletionTimestamp === undefined &&
      status?.phase === 'Running',
  );
  const times = all.map(({ metadata, status }): readonly [string, number] => {
    const started = status?.startTime ?? metadata.creationTimestamp ?? '';
    return [metadata.name, (now - Date.parse(started)) / 1000];
  });
  const running = new Map(times.toSorted(([a], [b]) => compareText(a, b)));
  return { namespace, pods: [...running.keys()], running, range: settings.promRange };
}
