import { type Clock, ignoreNotFound, sleep } from '@kubewright/client';
import {
  type Component,
  type ContainerRuntime,
  type ScenarioContext,
  drawFaults,
  type History,
  type Scenario,
  type SeededRandom,
  SimulatedRuntime,
  startNodes,
  type WorldFault,
} from '@kubewright/cluster';
import { corev1, type KubeObject } from '@kubewright/kube';

const NODES = ['node-1', 'node-2'];
/** Calls that kubelets make until all pods have ended as they should, about. */
export const CALLS = 70;

/** Broken on purpose: containers that do not live on when their kubelet is restarted. */
export type NodesVariant = { readonly without?: 'adoption' };

const kubelets = ({ without }: NodesVariant): Component => ({
  name: 'kubelets',
  async start({ connect, clock, random, signal }) {
    const runtimes = without === 'adoption' ? [mortal(clock)] : [];
    const nodes = { nodes: NODES.length, createMs: 500, leaseRenewMs: 60_000, runtimes };
    await startNodes({ ...nodes, connect, clock, random, signal }).ended;
  },
});

/** A runtime whose containers are gone with their kubelet. */
function mortal(clock: Clock): ContainerRuntime {
  const runtime = new SimulatedRuntime({ clock });
  return {
    scheme: runtime.scheme,
    runs: () => true,
    image: (pod, container) => runtime.image(pod, container),
    start: (start) => runtime.start(start),
    stop: (id, graceMs) => runtime.stop(id, graceMs),
    state: (id) => runtime.state(id),
    remove: (id) => runtime.remove(id),
    logs: (id) => runtime.logs(id),
    onChange: (callback) => runtime.onChange(callback),
  };
}

/** A node has one kubelet; everything else may go wrong. */
function faults(random: SeededRandom): readonly WorldFault[] {
  return drawFaults(random, ['kubelets'], CALLS).filter(({ type }) => type !== 'twin');
}

type Wanted = { readonly phase: string; readonly restarts?: number };

/** Pods by name: what they are, and how they have to end. Those without an end are deleted. */
const PODS: Readonly<Record<string, { readonly pod: Partial<corev1.Pod>; readonly wanted?: Wanted }>> = {
  web: { pod: {}, wanted: { phase: 'Running', restarts: 0 } },
  job: { pod: job('sleep 3; exit 0'), wanted: { phase: 'Succeeded', restarts: 0 } },
  failing: { pod: job('sleep 1; exit 3'), wanted: { phase: 'Failed', restarts: 0 } },
  flaky: {
    pod: about({ 'exit-after': '2s', 'exit-code': '1', exits: '3' }),
    wanted: { phase: 'Running', restarts: 3 },
  },
  needy: {
    pod: {
      spec: {
        containers: [{ name: 'main', image: 'a', envFrom: [{ configMapRef: { name: 'settings' } }] }],
      },
    },
    wanted: { phase: 'Running', restarts: 0 },
  },
  deleted: { pod: {} },
  stubborn: { pod: about({ stop: '1h' }) },
};

function job(text: string): Partial<corev1.Pod> {
  const main = { name: 'main', image: 'a', command: ['sh', '-c', text] };
  return { spec: { restartPolicy: 'Never', containers: [main] } };
}

function about(annotations: Readonly<Record<string, string>>): Partial<corev1.Pod> {
  const named = Object.entries(annotations).map(([key, value]) => [`nodes.kubewright.dev/${key}`, value]);
  return { metadata: { namespace: 'default', annotations: Object.fromEntries(named) } };
}

async function script({ client, clock, random }: ScenarioContext): Promise<void> {
  for (const [index, [name, { pod }]] of Object.entries(PODS).entries()) {
    await sleep(clock, random.below(3000));
    const spec = pod.spec ?? { containers: [{ name: 'main', image: 'a' }] };
    await client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...pod.metadata, name, namespace: 'default' },
      spec: { ...spec, nodeName: NODES[index % NODES.length] ?? '' },
    });
  }
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'default' },
  };
  await client.create<KubeObject>(corev1.configmaps, settings);
  for (const [name, { wanted }] of Object.entries(PODS)) {
    await sleep(clock, random.below(5000));
    if (wanted === undefined)
      await ignoreNotFound(client.delete(corev1.pods, { namespace: 'default', name }));
  }
}

/** One line for each pod that is as it should be in the end. */
async function ends({ client }: ScenarioContext): Promise<readonly string[]> {
  const { items } = await client.list(corev1.pods, { namespace: 'default' });
  return items.map(({ metadata, status }) => {
    const [main] = status?.containerStatuses ?? [];
    return `${metadata.name} ${status?.phase} ${main?.restartCount} ${main?.ready}`;
  });
}

async function missing(context: ScenarioContext): Promise<string | undefined> {
  const lines = await ends(context);
  const wanted = Object.entries(PODS).flatMap(([name, { wanted: end }]) =>
    end === undefined ? [] : [`${name} ${end.phase} ${end.restarts} ${end.phase === 'Running'}`],
  );
  const late = wanted.find((line) => !lines.includes(line));
  if (late !== undefined) return `${late}, of ${lines.join(', ')}`;
  return lines.length === wanted.length ? undefined : `there are ${lines.join(', ')}`;
}

/** A final phase is final, and attempts are counted up. */
function neverGoesBack(history: History): string | undefined {
  for (const name of Object.keys(PODS)) {
    let [last, count] = ['Pending', 0];
    for (const { object, at } of history.of('pods', name)) {
      const [phase, restarts] = seen(object as corev1.Pod);
      if (isFinal(last) && phase !== last) return `at ${at} ${name} went from ${last} to ${phase}`;
      if (restarts < count) return `at ${at} ${name} went from ${count} restarts to ${restarts}`;
      [last, count] = [phase, restarts];
    }
  }
  return undefined;
}

function seen({ status }: corev1.Pod): readonly [phase: string, restarts: number] {
  return [status?.phase ?? '', status?.containerStatuses?.[0]?.restartCount ?? 0];
}

function isFinal(phase: string): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** The kubelets of two nodes and a handful of pods that run, end, crash, wait and are deleted. */
export function nodesScenario(variant: NodesVariant = {}): Scenario {
  return {
    name: 'nodes',
    observed: [['', 'pods']],
    components: [kubelets(variant)],
    calls: CALLS,
    faults,
    prepare: async () => undefined,
    script,
    missing,
    isHeartbeat: ({ path }) => path.includes('/leases') || /^\/api\/v1\/nodes\/[^/]+\/status/.test(path),
    invariants: { 'what was said of a pod is not taken back': neverGoesBack },
  };
}
