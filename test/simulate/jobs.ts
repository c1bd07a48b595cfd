import { createClient, ignoreNotFound, isConflict, sleep, withRetry } from '@kubewright/client';
import {
  type Component,
  type ScenarioContext,
  drawFaults,
  type Scenario,
  type SeededRandom,
  type WorldFault,
} from '@kubewright/cluster';
import { batchv1, controllerOf, corev1, formatTime } from '@kubewright/kube';
import { createManager, type Manager, type Reconciler, watchKind, silentLogger } from '@kubewright/runtime';
import { endOf, JOBS_INVARIANTS, tracked } from './jobs-invariants.ts';
import { type Tamper, tamperedControllers } from './tampered-controllers.ts';

const NAMESPACE = 'default';
/** Calls that the controllers make until all Jobs are over, about. */
const CALLS = 110;
const WATCHES = 8;
const OF_WATCHES = ['cut', 'lag', 'repeat'];

const CONTROLLERS = ['job-controller', 'ttl-after-finished-controller'] as const;

/** What a node does for pods, as far as Jobs look at it: each is over some seconds after it was made. */
const node: Component = {
  name: 'node',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    manager.addController({ name: 'node', reconciler: ender(manager), sources: [watchKind(corev1.pods)] });
    await manager.start(signal);
  },
};

function ender({ cache, client, clock }: Manager): Reconciler {
  return {
    async reconcile(request) {
      const pod = cache.get(corev1.pods, request);
      const end = pod === undefined ? undefined : endTime(pod);
      if (pod === undefined || end === undefined) return {};
      if (clock.now() < end) return { requeueAfter: end - clock.now() };
      const phase = pod.metadata.labels?.['ends'] === 'badly' ? 'Failed' : 'Succeeded';
      const lastTransitionTime = formatTime(new Date(end));
      const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
      const { resourceVersion } = pod.metadata;
      const body = { metadata: { resourceVersion }, status: { phase, conditions } };
      const patch = { type: 'merge', body } as const;
      const patched = client.patch(corev1.pods, request, patch, { subresource: 'status' });
      await ignoreNotFound(patched).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
      // Another look: a write that somebody's webhook undoes brings no event.
      return { requeueAfter: 1000 };
    },
  };
}

/** Undefined for a pod that is over, or never will be. */
function endTime({ metadata, status }: corev1.Pod): number | undefined {
  const { creationTimestamp: made, labels } = metadata;
  const ends = status?.phase === 'Pending' && labels?.['ends'] !== 'never';
  return ends && typeof made === 'string' ? Date.parse(made) + 4000 : undefined;
}

function faults(random: SeededRandom): readonly WorldFault[] {
  return [...drawFaults(random, ['controllers'], CALLS), ...drawFaults(random, ['controllers'], CALLS)].map(
    (fault) =>
      OF_WATCHES.includes(fault.type) && 'call' in fault
        ? { ...fault, call: 1 + random.below(WATCHES) }
        : fault,
  );
}

const job = (
  name: string,
  ends: 'well' | 'badly' | 'never',
  spec: Partial<batchv1.JobSpec>,
): batchv1.Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    ...spec,
    template: {
      metadata: { labels: { ends } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }] },
    },
  },
});

const JOBS: readonly batchv1.Job[] = [
  job('counted', 'well', { completions: 4, parallelism: 2 }),
  job('indexed', 'well', { completions: 4, parallelism: 2, completionMode: 'Indexed' }),
  job('failing', 'badly', { backoffLimit: 2 }),
  job('failing-indexes', 'badly', {
    completions: 2,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 1,
  }),
  job('late', 'never', { activeDeadlineSeconds: 2, completions: 2, parallelism: 2 }),
  job('short-lived', 'well', { ttlSecondsAfterFinished: 5 }),
];

async function script({ client, clock, random }: ScenarioContext): Promise<void> {
  for (const one of JOBS) {
    await sleep(clock, random.below(8000));
    await client.create(batchv1.jobs, one);
  }
}

/**
 * How each Job ended, and of how many pods one that completed; the one that does not last is not looked for. Of two
 * controllers each makes pods by its own cache, and what one of them makes too late is never counted and stays: so it
 * is of kube-controller-manager, whose election does not fence. What is counted, invariants look at.
 */
async function endState(
  { client }: ScenarioContext,
  faults: readonly WorldFault[],
): Promise<readonly string[]> {
  const madeByOne = faults.every(({ type }) => type !== 'twin');
  const { items } = await client.list(batchv1.jobs, { namespace: NAMESPACE });
  const pods = await client.list(corev1.pods, { namespace: NAMESPACE });
  return items.map((one) => {
    const own = pods.items.filter((pod) => controllerOf(pod)?.uid === one.metadata.uid).length;
    const end = endOf(one) ?? '';
    return `${one.metadata.name}: ${end} ${one.status?.completedIndexes ?? ''} ${madeByOne && end.startsWith('Complete') ? own : ''}`;
  });
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  const { items } = await client.list(batchv1.jobs, { namespace: NAMESPACE });
  // A Job that has to go waits for its pods, which the garbage collector would take.
  const ends = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const running = ends.filter((one) => endOf(one) === undefined).map(({ metadata }) => metadata.name);
  if (running.length > 0) return `the end of ${running.join(', ')}`;
  if (ends.length !== JOBS.length - 1) return `${JOBS.length - 1} Jobs; there are ${ends.length}`;
  const pods = await client.list(corev1.pods, { namespace: NAMESPACE });
  const held = pods.items.filter((pod) => tracked(pod) && controllerOf(pod) !== undefined);
  return held.length > 0 ? `${held.length} pods are still held` : undefined;
}

/** Jobs that end in every way, while faults are injected into their controllers. */
export function jobsScenario(tamper: Tamper = (transport) => transport): Scenario {
  return {
    name: 'jobs',
    observed: [
      ['', 'pods'],
      ['batch', 'jobs'],
    ],
    components: [tamperedControllers(tamper, { controllers: CONTROLLERS }), node],
    faults,
    prepare: async () => undefined,
    script,
    missing,
    endState,
    invariants: JOBS_INVARIANTS,
  };
}
