import type { corev1, Stored } from '@kubewright/kube';
import type { ContainerState } from '../../../runtime/container-runtime.ts';
import type { Observed, SeenContainer } from '../../observed.ts';
import { podContainers } from '../../pod-containers.ts';
import { type ContainerRecord, type PodEnd, type PodRecord, recordOf } from '../../pod-record.ts';

export const NOW = Date.UTC(2026, 0, 1);
const ID = 'a'.repeat(64);

export type World = {
  readonly spec?: Partial<corev1.PodSpec>;
  readonly metadata?: corev1.Pod['metadata'];
  readonly status?: corev1.PodStatus;
  /** By container; the attempt is there where a state is. */
  readonly states?: Readonly<Record<string, ContainerState>>;
  readonly records?: Readonly<Record<string, ContainerRecord>>;
  readonly seen?: Partial<SeenContainer>;
  readonly end?: PodEnd;
  readonly createMs?: number;
  readonly obstacle?: Observed['obstacle'];
};

export const ran = (number = 0): ContainerRecord => ({ attempt: { id: ID, number } });
export const running = (
  more: Partial<Extract<ContainerState, { type: 'running' }>> = {},
): ContainerState => ({
  type: 'running',
  startedAt: NOW - 1000,
  started: true,
  ready: true,
  ...more,
});
export const exited = (exitCode: number, ago = 0): ContainerState => ({
  type: 'exited',
  startedAt: NOW - 5000,
  finishedAt: NOW - ago,
  exitCode,
});
export const container = (name: string, more: Partial<corev1.Container> = {}): corev1.Container => ({
  name,
  image: 'web:1',
  ...more,
});

const IMAGE = { type: 'available', id: 'web@sha256:0', sizeBytes: 1, pullMs: 0 } as const;

function podOf({ spec, metadata, status = {} }: World): Stored<corev1.Pod> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
    spec: { containers: [container('main')], ...spec },
    status,
  };
}

export function observed(world: World): Observed {
  const { states = {}, end, obstacle, createMs = 0 } = world;
  const pod = podOf(world);
  const names = podContainers(pod).map(({ container: { name } }) => name);
  const containers = new Map(
    names.map((name): [string, SeenContainer] => {
      const state = states[name];
      return [name, { scheme: 'test', image: IMAGE, ...(state && { state }), ...world.seen }];
    }),
  );
  const record: PodRecord = {
    ...recordOf(pod, NOW, '10.0.0.1'),
    containers: recordsOf(world, names),
    ...(end && { end }),
  };
  return { pod, hostIP: '172.18.0.2', record, containers, createMs, ...(obstacle && { obstacle }) };
}

/** Where a state is, an attempt was made. */
function recordsOf(
  { states = {}, records = {} }: World,
  names: readonly string[],
): ReadonlyMap<string, ContainerRecord> {
  return new Map(
    names.flatMap((name) => {
      const record = records[name] ?? (states[name] && ran());
      return record === undefined ? [] : [[name, record] as const];
    }),
  );
}
export const deleted = {
  namespace: 'default',
  deletionTimestamp: '2026-01-01T00:00:00Z',
  deletionGracePeriodSeconds: 5,
};
