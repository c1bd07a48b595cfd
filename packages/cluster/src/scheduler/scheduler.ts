import { isNotFound } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import {
  type EventNote,
  formatRequest,
  type Manager,
  type Reconciler,
  type Request,
} from '@kubewright/runtime';
import { messageOf } from '../controllers/workloads/pod-control.ts';
import { bind, reportUnschedulable } from './act.ts';
import { ClusterState } from './cluster-state.ts';
import { decide } from './decide.ts';
import { awaitsNode, isReadyForNode, priorityOf } from './pod-stage.ts';
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
  manager.addController({
    name: 'scheduler',
    sources: [state],
    reconciler: reconcilerOf(manager, state, name),
    maxConcurrentReconciles: CONCURRENT,
  });
}

type Tools = Pick<Manager, 'client' | 'clock'> & {
  readonly state: ClusterState;
  readonly tell: (pod: corev1.Pod, note: EventNote) => void;
};

function reconcilerOf(manager: Manager, state: ClusterState, name: string): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(name);
  const tools = {
    client,
    clock,
    state,
    tell: (pod, note) => void recorder.record(pod, note),
  } satisfies Tools;
  const { waiting } = state;
  return {
    async reconcile(request) {
      const key = formatRequest(request);
      const pod = cache.get(corev1.pods, { namespace: '', ...request });
      if (pod === undefined || !awaitsNode(pod, name) || !isReadyForNode(pod)) {
        waiting.forget(key);
        return {};
      }
      if (state.isAssumed(pod.metadata.uid ?? '')) return {};
      const delay = waiting.delay(key, clock.monotonic());
      if (delay > 0) return { requeueAfter: delay };
      await schedule(tools, request, pod);
      return {};
    },
  };
}

/** Between the look at the state and the note of what was decided nothing is awaited: no two pods get one place. */
async function schedule(tools: Tools, request: Request, pod: corev1.Pod): Promise<void> {
  const { client, clock, state, tell } = tools;
  const key = formatRequest(request);
  const decision = decide(podInfoOf(pod), state.snapshot);
  if (decision.type === 'bind') {
    state.assume(pod, decision.node);
    await assign(tools, pod, decision.node);
    state.waiting.forget(key);
    return;
  }
  const { message, filters } = decision;
  state.waiting.refused(key, { request, priority: priorityOf(pod), filters }, clock.monotonic());
  tell(pod, { type: 'Warning', reason: 'FailedScheduling', message: shortened(message) });
  await reportUnschedulable(client, pod, { message, now: clock.now() });
}

async function assign({ client, state, tell }: Tools, pod: corev1.Pod, node: string): Promise<void> {
  try {
    await bind(client, pod, node);
  } catch (error) {
    state.forget(pod);
    if (isNotFound(error)) return;
    const message = shortened(`binding rejected: running Bind plugin "DefaultBinder": ${messageOf(error)}`);
    tell(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    throw error;
  }
  const { namespace = '', name = '' } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  tell(pod, { type: 'Normal', reason: 'Scheduled', message });
}

function shortened(message: string): string {
  return message.length <= LONGEST_NOTE ? message : `${message.slice(0, LONGEST_NOTE - 4)} ...`;
}
