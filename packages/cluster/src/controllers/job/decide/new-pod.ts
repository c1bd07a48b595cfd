import type { batchv1, corev1, Stored } from '@kubewright/kube';
import { podFromTemplate } from '../../workloads/pod-from-template.ts';
import {
  COMPLETION_INDEX,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  TRACKING_FINALIZER,
} from '../constants.ts';
import { judgeFailure } from './judge-failure.ts';
import { ignoredIndexFailures, indexFailures } from './job-pods.ts';

const INDEX_VARIABLE: corev1.EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } },
};

/** The longest beginning of a name that leaves room for a random end. */
const LONGEST_PREFIX = 58;

/** A pod of a Job, held until it is counted. */
export function newPod(job: Stored<batchv1.Job>): corev1.Pod {
  const pod = podFromTemplate(job.spec.template, job);
  const { finalizers = [] } = pod.metadata;
  if (finalizers.includes(TRACKING_FINALIZER)) return pod;
  return { ...pod, metadata: { ...pod.metadata, finalizers: [...finalizers, TRACKING_FINALIZER] } };
}

/** The pod of one index, which it knows; `failed` is the one that it succeeds. */
export function newIndexedPod(
  job: Stored<batchv1.Job>,
  index: number,
  failed?: Stored<corev1.Pod>,
): corev1.Pod {
  const { metadata, spec, ...rest } = newPod(job);
  const { name } = job.metadata;
  const end = `-${index}-`;
  return {
    ...rest,
    metadata: {
      ...metadata,
      generateName: `${name.slice(0, LONGEST_PREFIX - end.length)}${end}`,
      labels: { ...metadata.labels, [COMPLETION_INDEX]: `${index}` },
      annotations: {
        ...metadata.annotations,
        [COMPLETION_INDEX]: `${index}`,
        ...(job.spec.backoffLimitPerIndex === undefined ? {} : failureCounts(job, failed)),
      },
    },
    spec: { ...withIndexVariable(spec), hostname: `${name}-${index}` },
  };
}

function failureCounts(
  job: Stored<batchv1.Job>,
  failed: Stored<corev1.Pod> | undefined,
): Readonly<Record<string, string>> {
  if (failed === undefined) return { [INDEX_FAILURES]: '0' };
  const { counts } = judgeFailure(job, failed);
  const ignored = ignoredIndexFailures(failed) + (counts ? 0 : 1);
  return {
    [INDEX_FAILURES]: `${indexFailures(failed) + (counts ? 1 : 0)}`,
    ...(ignored === 0 ? {} : { [INDEX_IGNORED_FAILURES]: `${ignored}` }),
  };
}

function withIndexVariable(spec: corev1.PodSpec): corev1.PodSpec {
  const withIndex = (container: corev1.Container): corev1.Container => {
    const { env = [] } = container;
    return env.some(({ name }) => name === INDEX_VARIABLE.name)
      ? container
      : { ...container, env: [...env, INDEX_VARIABLE] };
  };
  return {
    ...spec,
    containers: spec.containers.map(withIndex),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndex) }),
  };
}
