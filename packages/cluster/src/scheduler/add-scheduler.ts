import { isNotFound } from '@kubewright/client';
import { corev1, errorText, storagev1, type Stored } from '@kubewright/kube';
import {
  type EventNote,
  formatRequest,
  type Manager,
  type Reconciler,
  type Request,
  requestFor,
  type Source,
  watchMapped,
} from '@kubewright/runtime';
import { bind, reportUnschedulable } from './bind.ts';
import { indexPodsByClaim, podsUsing } from '../controllers/volumes/index-pods-by-claim.ts';
import { bindVolumes } from './bind-volumes.ts';
import { ClusterState } from './cluster-state.ts';
import { decide } from './decide.ts';
import { volumeBinding, type WaitingClaim } from './filters/volume-binding.ts';
import { observeVolumes } from './observe-volumes.ts';
import { awaitsNode, isReadyForNode, priorityOf } from './awaits-node.ts';
import { podInfoOf } from './state/pod-info.ts';

export type SchedulerOptions = {
  /** Assigns the pods whose `spec.schedulerName` it is. Default `default-scheduler`. */
  readonly name?: string;
};

/** Bindings under way at the same time; decisions are made one after the other. */
const CONCURRENT = 32;
const LONGEST_NOTE = 1024;

/** Assigns pods to nodes, as kube-scheduler does. */
export function addScheduler(manager: Manager, { name = 'default-scheduler' }: SchedulerOptions = {}): void {
  const state = new ClusterState(manager.cache, name);
  indexPodsByClaim(manager.cache);
  manager.addController({
    name: 'scheduler',
    sources: [state, ...volumeSources(manager, state)],
    reconciler: reconcilerOf(manager, state, name),
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** Claims bring back the pods that use them; volumes and classes those that found none. */
function volumeSources({ cache }: Manager, { waiting }: ClusterState): readonly Source[] {
  const helped = (): readonly Request[] =>
    [...waiting.helpedBy(['VolumeBinding'])].map(({ request }) => request);
  return [
    watchMapped(corev1.persistentvolumeclaims, (claim) =>
      podsUsing(cache, requestFor(claim)).map(requestFor),
    ),
    watchMapped(corev1.persistentvolumes, helped),
    watchMapped(storagev1.storageclasses, helped),
  ];
}

type Tools = Pick<Manager, 'cache' | 'client' | 'clock'> & {
  /** Pods whose claims have the annotation of the selected node. */
  readonly noted: Set<string>;
  readonly state: ClusterState;
  readonly emit: (pod: Stored<corev1.Pod>, note: EventNote) => void;
};

function reconcilerOf(manager: Manager, state: ClusterState, name: string): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(name);
  const tools = {
    cache,
    client,
    noted: new Set<string>(),
    clock,
    state,
    emit: (pod, note) => recorder.record(pod, note),
  } satisfies Tools;
  const { waiting } = state;
  return {
    async reconcile(request) {
      const key = formatRequest(request);
      const pod = cache.get(corev1.pods, { namespace: '', ...request });
      if (pod === undefined || !awaitsNode(pod, name) || !isReadyForNode(pod)) {
        waiting.forget(key);
        tools.noted.delete(key);
        return {};
      }
      if (state.isAssumed(pod.metadata.uid)) return {};
      const delay = waiting.delay(key, clock.monotonic());
      if (delay > 0) return { requeueAfter: delay };
      await schedule(tools, request, pod);
      return {};
    },
  };
}

/** Between the look at the state and the note of what was decided nothing is awaited: no two pods get one place. */
async function schedule(tools: Tools, request: Request, pod: Stored<corev1.Pod>): Promise<void> {
  const { cache, client, clock, state, emit } = tools;
  const key = formatRequest(request);
  const volumes = observeVolumes(cache, pod);
  const filter = volumes === undefined ? undefined : volumeBinding(volumes);
  const decision = decide(podInfoOf(pod), state.snapshot, filter);
  if (decision.type === 'bind') {
    const { waiting = [] } = volumes ?? {};
    if (waiting.length > 0) return prepareVolumes(tools, { request, pod, waiting }, decision.node);
    state.assume(pod, decision.node);
    await assign(tools, pod, decision.node);
    state.waiting.forget(key);
    tools.noted.delete(key);
    return;
  }
  const { message, filters } = decision;
  state.waiting.addUnschedulable(key, { request, priority: priorityOf(pod), filters }, clock.monotonic());
  emit(pod, { type: 'Warning', reason: 'FailedScheduling', message: shortened(message) });
  await reportUnschedulable(client, pod, { message, now: clock.now() });
}

type Waiting = {
  readonly request: Request;
  readonly pod: Stored<corev1.Pod>;
  readonly waiting: readonly WaitingClaim[];
};

/** The pod comes back when its claims are bound; one whose node was given up has to be patient. */
async function prepareVolumes(
  { client, clock, state, noted }: Tools,
  { request, pod, waiting }: Waiting,
  name: string,
): Promise<void> {
  const node = state.snapshot.nodes.get(name)?.node;
  if (node === undefined || !(await bindVolumes(client, waiting, node))) return;
  const key = formatRequest(request);
  const filters = new Set(['VolumeBinding'] as const);
  if (noted.has(key))
    state.waiting.addUnschedulable(key, { request, priority: priorityOf(pod), filters }, clock.monotonic());
  noted.add(key);
}

async function assign({ client, state, emit }: Tools, pod: Stored<corev1.Pod>, node: string): Promise<void> {
  try {
    await bind(client, pod, node);
  } catch (error) {
    state.forget(pod);
    if (isNotFound(error)) return;
    const message = shortened(`binding rejected: running Bind plugin "DefaultBinder": ${errorText(error)}`);
    emit(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    throw error;
  }
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  emit(pod, { type: 'Normal', reason: 'Scheduled', message });
}

function shortened(message: string): string {
  return message.length <= LONGEST_NOTE ? message : `${message.slice(0, LONGEST_NOTE - 4)} ...`;
}
