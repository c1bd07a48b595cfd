import { appsv1, batchv1, controllerOf, corev1, type JsonObject } from '@kubewright/kube';
import { conditionsOf, countsOf, type Place, type Scenario } from './scenario.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };
/** Pods of this label are made ready. */
const READY = { ready: 'yes' };

function template(image = 'web:1', more: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { ...labels, ...READY } },
    spec: { containers: [{ name: 'web', image }], ...more },
  };
}

/** Its labels, whether somebody controls it, its finalizers. */
async function podsOf(place: Place): Promise<readonly string[]> {
  const pods = await place.list(corev1.pods);
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => {
      const { labels = {}, finalizers = [] } = pod.metadata;
      const known = Object.keys(labels).filter((name) => !name.includes('hash') && !name.includes('uid'));
      return [controllerOf(pod)?.kind ?? 'orphan', pod.status?.phase, ...known.sort(), ...finalizers].join(
        ' ',
      );
    })
    .sort();
}

const inDeployment = {
  account: 'deployment-controller',
  async play(place: Place) {
    const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    const metadata = { annotations: { team: 'blue' } };
    const spec = { replicas: 2, selector, template: template(), strategy };
    await place.create(appsv1.deployments, 'web', { metadata, spec });
    await place.one(appsv1.replicasets);
    await place.patch(appsv1.deployments, 'web', {
      metadata: { annotations: { team: 'red' } },
      spec: { template: template('web:2') },
    });
  },
  async see(place: Place) {
    const sets = await place.list(appsv1.replicasets);
    const [deployment] = await place.list(appsv1.deployments);
    const shown = sets.map(({ spec, metadata: { annotations = {} } }) =>
      [
        spec.template?.spec?.containers[0]?.image,
        spec.replicas,
        `team=${annotations['team']}`,
        `revision=${annotations['deployment.kubernetes.io/revision']}`,
      ].join(' '),
    );
    const revision = deployment?.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? '';
    const status = deployment?.status;
    return { sets: shown.sort(), revision, counts: countsOf(status), conditions: [...conditionsOf(status)] };
  },
};

const inReplicaSet = {
  account: 'replicaset-controller',
  async play(place: Place) {
    await place.create(appsv1.replicasets, 'web', { spec: { replicas: 3, selector, template: template() } });
    await place.one(corev1.pods);
    await place.patch(appsv1.replicasets, 'web', { spec: { replicas: 2 } });
  },
  async see(place: Place) {
    const [set] = await place.list(appsv1.replicasets);
    return {
      pods: [...(await podsOf(place))],
      counts: countsOf(set?.status),
      conditions: [...conditionsOf(set?.status)],
    };
  },
};

const inStatefulSet = {
  account: 'statefulset-controller',
  async play(place: Place) {
    const spec = {
      replicas: 2,
      selector,
      serviceName: 'web',
      template: template(),
      podManagementPolicy: 'Parallel',
    };
    await place.create(appsv1.statefulsets, 'web', { spec });
    await place.one(corev1.pods);
    await place.patch(appsv1.statefulsets, 'web', { spec: { replicas: 1 } });
  },
  async see(place: Place) {
    const [set] = await place.list(appsv1.statefulsets);
    const { length } = await place.list(appsv1.controllerrevisions);
    return { pods: [...(await podsOf(place))], revisions: length, counts: countsOf(set?.status) };
  },
};

const inDaemonSet = {
  account: 'daemon-set-controller',
  async play(place: Place) {
    for (const name of ['a', 'b'])
      await place.create(corev1.nodes, name, { metadata: { labels: { story: place.namespace } }, spec: {} });
    const spec = { selector, template: template('web:1', { nodeSelector: { story: place.namespace } }) };
    await place.create(appsv1.daemonsets, 'web', { spec });
  },
  async see(place: Place) {
    const [set] = await place.list(appsv1.daemonsets);
    const { length } = await place.list(appsv1.controllerrevisions);
    return { pods: [...(await podsOf(place))], revisions: length, counts: countsOf(set?.status) };
  },
};

const inJob = {
  account: 'job-controller',
  async play(place: Place) {
    const spec = { containers: [{ name: 'main', image: 'work:1' }], restartPolicy: 'Never' };
    await place.create(batchv1.jobs, 'work', { spec: { template: { spec } } });
    const { metadata } = await place.one(corev1.pods);
    await place.patch(corev1.pods, metadata.name ?? '', { status: { phase: 'Succeeded' } }, 'status');
  },
  async see(place: Place) {
    const [job] = await place.list(batchv1.jobs);
    return {
      pods: [...(await podsOf(place))],
      counts: countsOf(job?.status),
      conditions: [...conditionsOf(job?.status)],
    };
  },
};

const LONG_AGO = '2020-06-01T00:00:00Z';

const inCronJob = {
  account: 'cronjob-controller',
  async play(place: Place) {
    const containers = [{ name: 'main', image: 'work:1' }];
    const jobTemplate = {
      spec: { suspend: true, template: { spec: { containers, restartPolicy: 'Never' } } },
    };
    await place.create(batchv1.cronjobs, 'tick', {
      spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate },
    });
    // New Year, of which there is one since then.
    await place.patch(batchv1.cronjobs, 'tick', { status: { lastScheduleTime: LONG_AGO } }, 'status');
    await place.patch(batchv1.cronjobs, 'tick', { spec: { suspend: false } });
  },
  async see(place: Place) {
    const [cronJob] = await place.list(batchv1.cronjobs);
    const jobs = await place.list(batchv1.jobs);
    const last = cronJob?.status?.lastScheduleTime;
    return {
      jobs: jobs.map(({ metadata }) =>
        Object.keys(metadata.labels ?? {})
          .sort()
          .join(' '),
      ),
      active: cronJob?.status?.active?.length ?? 0,
      scheduled: last === undefined ? 'never' : last === LONG_AGO ? 'before' : 'now',
    };
  },
};

const JOB_IS_ENDING = {
  counts: { terminating: 0, ready: 0 },
  conditions: ['SuccessCriteriaMet True CompletionsReached'],
};

function counts(size: number): JsonObject {
  return { replicas: size, fullyLabeledReplicas: size, readyReplicas: size, availableReplicas: size };
}

const HOOK = ['/metadata/labels/hook', 'yes'] as const;

/** Workloads: pods are made ready, and nobody runs them. */
export const WORKLOADS: readonly Scenario[] = [
  {
    ...inDeployment,
    target: {
      resource: 'replicasets',
      strip: '/metadata/annotations/deployment.kubernetes.io~1revision',
      change: ['/metadata/annotations/team', 'hook'],
    },
  },
  {
    ...inDeployment,
    target: {
      resource: 'deployments/status',
      strip: '/status/conditions',
      change: ['/status/unavailableReplicas', 7],
    },
  },
  {
    ...inReplicaSet,
    target: { resource: 'pods', strip: '/metadata/ownerReferences', change: HOOK },
    ours: {
      stripped: {
        pods: ['orphan Running app ready', 'orphan Running app ready'],
        counts: { ...counts(2), terminatingReplicas: 0 },
        conditions: [],
      },
    },
  },
  {
    ...inReplicaSet,
    target: {
      resource: 'replicasets/status',
      strip: '/status/observedGeneration',
      change: ['/status/fullyLabeledReplicas', 0],
    },
  },
  {
    ...inStatefulSet,
    target: { resource: 'pods', strip: '/metadata/labels/statefulset.kubernetes.io~1pod-name', change: HOOK },
  },
  { ...inStatefulSet, target: { resource: 'controllerrevisions', strip: '/metadata/labels', change: HOOK } },
  {
    ...inStatefulSet,
    target: {
      resource: 'statefulsets/status',
      strip: '/status/observedGeneration',
      change: ['/status/currentReplicas', 0],
    },
  },
  {
    ...inDaemonSet,
    target: { resource: 'pods', strip: '/metadata/labels/controller-revision-hash', change: HOOK },
  },
  {
    ...inDaemonSet,
    target: {
      resource: 'controllerrevisions',
      strip: '/metadata/labels/controller-revision-hash',
      change: HOOK,
    },
  },
  {
    ...inDaemonSet,
    target: {
      resource: 'daemonsets/status',
      strip: '/status/observedGeneration',
      change: ['/status/numberReady', 0],
    },
  },
  {
    ...inJob,
    target: { resource: 'pods', strip: '/metadata/finalizers', change: HOOK },
    ours: {
      undone: {
        pods: ['Job Succeeded batch.kubernetes.io/job-name job-name batch.kubernetes.io/job-tracking'],
        ...JOB_IS_ENDING,
      },
    },
  },
  {
    ...inJob,
    // kube-controller-manager 1.36 panics where its status is undone.
    only: ['none', 'stripped', 'changed', 'delayed', 'rejected'],
    target: { resource: 'jobs/status', strip: '/status/startTime', change: ['/status/ready', 0] },
    ours: {
      stripped: { pods: ['Job Succeeded batch.kubernetes.io/job-name job-name'], ...JOB_IS_ENDING },
    },
  },
  { ...inCronJob, target: { resource: 'jobs', strip: '/metadata/ownerReferences', change: HOOK } },
  {
    ...inCronJob,
    target: {
      resource: 'cronjobs/status',
      strip: '/status/lastScheduleTime',
      change: ['/status/active', []],
    },
    ours: {
      rejected: {
        jobs: ['batch.kubernetes.io/controller-uid batch.kubernetes.io/job-name controller-uid job-name'],
        active: 1,
        scheduled: 'now',
      },
    },
  },
];
