import { ignoreNotFound } from '@kubewright/client';
import {
  type Component,
  drawFaults,
  installMetrics,
  type Scenario,
  type SeededRandom,
  startNodes,
  startScheduler,
  startStorage,
  type WorldFault,
} from '@kubewright/cluster';
import { corev1, type KubeObject } from '@kubewright/kube';
import { isClusterHeartbeat, storageBackend } from '../cluster-component.ts';
import { type Tamper, tamperedControllers } from '../tampered-controllers.ts';
import { endStateOf } from './end-state.ts';
import { NAMESPACE, namespace, QUEUE } from './manifests.ts';
import { DONE, Script, type ScriptOptions } from './script.ts';
import { unfinished } from './settled.ts';
import { WORKLOAD_INVARIANTS } from './invariants.ts';

/** Calls that a component makes until the script is over, about. */
const CALLS = { controllers: 320, scheduler: 60, nodes: 160, storage: 90 } as const;
const WATCHES = 45;
const OF_WATCHES = ['cut', 'lag', 'repeat'];

/** An autoscaler is at rest sooner than in a minute. */
const CONTROLLERS = { rootCa: 'good', autoscaler: { downscaleStabilizationMs: 20_000 } };

const scheduler: Component = {
  name: 'scheduler',
  async start({ connect, clock, random, signal }) {
    await startScheduler({ connect, clock, random, signal }).ended;
  },
};

/** Half as often as kubelets do: most of what a world at rest does is to renew Leases. */
const LEASE_RENEW_MS = 20_000;

const nodes: Component = {
  name: 'nodes',
  async start({ connect, clock, random, signal }) {
    await startNodes({ nodes: 2, leaseRenewMs: LEASE_RENEW_MS, connect, clock, random, signal }).ended;
  },
};

const storage: Component = {
  name: 'storage',
  async start({ connect, clock, random, signal }) {
    const backend = storageBackend(signal, clock);
    await startStorage({ connect, clock, random, signal, backend }).ended;
  },
};

function faults(random: SeededRandom): readonly WorldFault[] {
  const of = (component: keyof typeof CALLS): readonly WorldFault[] =>
    drawFaults(random, [component], CALLS[component]);
  return (
    [...of('controllers'), ...of('scheduler'), ...of('nodes'), ...of('storage')]
      // One cluster has one of each: who leads where there are two is the scenario `election`.
      .filter(({ type }) => type !== 'twin')
      .map((fault) =>
        OF_WATCHES.includes(fault.type) && 'call' in fault
          ? { ...fault, call: 1 + random.below(WATCHES) }
          : fault,
      )
  );
}

/** A world without faults costs as much as one with them: one for so many. */
const SEEDS_PER_SCRIPT = 8;

/** Workloads of all kinds on a cluster, and users who change them, while faults are injected into each part of the cluster. */
export function workloadScenario(
  tamper: Tamper = (transport) => transport,
  options: ScriptOptions = {},
): Scenario {
  return {
    name: 'workload',
    seedsPerScript: SEEDS_PER_SCRIPT,
    observed: [
      ['', 'pods'],
      ['apps', 'deployments'],
      ['apps', 'replicasets'],
      ['apps', 'statefulsets'],
      ['autoscaling', 'horizontalpodautoscalers'],
      ['batch', 'cronjobs'],
      ['batch', 'jobs'],
      ['', 'endpoints'],
      ['discovery.k8s.io', 'endpointslices'],
    ],
    components: [tamperedControllers(tamper, CONTROLLERS), scheduler, nodes, storage],
    faults,
    async prepare({ client }) {
      const { ref, object } = namespace(NAMESPACE, { [QUEUE]: '60' });
      await client.create<KubeObject>(ref, object);
      await installMetrics(client);
    },
    script: (context) => new Script(context, options).play(),
    async missing({ client }) {
      const done = await ignoreNotFound(client.get(corev1.configmaps, DONE));
      const lack = await unfinished(client);
      return done === undefined ? `the end of the script: ${lack}` : lack;
    },
    endState: ({ client }, faults) => endStateOf(client, faults),
    isHeartbeat: isClusterHeartbeat,
    invariants: WORKLOAD_INVARIANTS,
  };
}
