import { type batchv1, type corev1, defined, type Stored } from '@kubewright/kube';
import {
  COMPLETION_INDEX,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  TRACKING_FINALIZER,
} from '../constants.ts';

const START = '2026-01-01T00:00:00Z';
export const NOW = Date.parse(START) + 100_000;

/** What is undefined here is absent from the Job. */
export type Spec = { readonly [K in keyof batchv1.JobSpec]?: batchv1.JobSpec[K] | undefined };
type Looks = {
  readonly index?: number;
  /** Seconds ago. */
  readonly ended?: number;
  readonly deleted?: true;
  readonly exit?: number;
  readonly condition?: string;
  readonly restarts?: number;
  readonly ready?: true;
  /** How often its index had failed before; ignored failures. */
  readonly failures?: number;
  readonly ignored?: number;
  /** Has been counted: nobody holds it any more. */
  readonly free?: true;
  readonly on?: string;
};

/** A Job that began a hundred seconds ago. */
export const jobOf = (spec: Spec, status: batchv1.JobStatus = {}): Stored<batchv1.Job> => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default', uid: 'j', resourceVersion: '1' },
  spec: {
    ...defined({ parallelism: 2, completions: 5, backoffLimit: 6, ...spec }),
    template: spec.template ?? {},
  },
  status: { startTime: START, ...status },
});

let made = 0;

type Phase = NonNullable<corev1.PodStatus['phase']>;

/** A pod of it, which ended long ago unless `looks` say when. */
export const pod = (phase: Phase, looks: Looks = {}): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadataOf(`p${made++}`, looks),
  spec: {
    containers: [{ name: 'main', image: 'work:1' }],
    ...defined({ nodeName: looks.on }),
  },
  status: { phase, containerStatuses: [containerOf(looks)], conditions: conditionsOf(looks) },
});

function metadataOf(name: string, looks: Looks): Stored<corev1.Pod>['metadata'] {
  return {
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: START,
    ...(looks.deleted ? { deletionTimestamp: START, deletionGracePeriodSeconds: 0 } : {}),
    ...(looks.free ? {} : { finalizers: [TRACKING_FINALIZER] }),
    annotations: {
      ...annotation(COMPLETION_INDEX, looks.index),
      ...annotation(INDEX_FAILURES, looks.failures),
      ...annotation(INDEX_IGNORED_FAILURES, looks.ignored),
    },
  };
}

function annotation(name: string, value: number | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: `${value}` };
}

function containerOf({ ended, exit, ready, restarts = 0 }: Looks): corev1.ContainerStatus {
  const status = {
    name: 'main',
    image: 'work:1',
    imageID: '',
    ready: ready === true,
    restartCount: restarts,
  };
  if (exit === undefined && ended === undefined) return status;
  const finishedAt = new Date(NOW - (ended ?? 1000) * 1000).toISOString();
  return { ...status, state: { terminated: { exitCode: exit ?? 1, finishedAt } } };
}

function conditionsOf({ condition, ready }: Looks): readonly corev1.PodCondition[] {
  return [
    ...(condition === undefined ? [] : [{ type: condition, status: 'True' }]),
    ...(ready === undefined ? [] : [{ type: 'Ready', status: 'True' }]),
  ];
}

export const many = (count: number, phase: Phase, looks: Looks = {}): readonly Stored<corev1.Pod>[] =>
  Array.from({ length: count }, () => pod(phase, looks));
