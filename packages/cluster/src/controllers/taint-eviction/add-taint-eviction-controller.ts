import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, jsonEqual, type Stored } from '@kubewright/kube';
import {
  type CacheEvent,
  formatRequest,
  type Manager,
  type Reconciler,
  type Result,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { patchPodStatus } from '../workloads/patch-pod-status.ts';
import { podCondition } from '../workloads/pod-condition.ts';
import { indexByNode, podsOnNode } from '../workloads/pods-on-node.ts';
import { decide } from './decide.ts';

const CONCURRENT = 8;
const WHY = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

/** Deletes the pods that do not tolerate a taint of effect NoExecute of their node. Acts as the node controller. */
export function addTaintEvictionController(manager: Manager): void {
  const { cache } = manager;
  indexByNode(cache);
  manager.addController({
    name: 'taint_eviction',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(corev1.pods, { predicates: [isPlaced] }),
      watchMapped(corev1.nodes, ({ metadata }) => podsOnNode(cache, metadata.name).map(requestFor), {
        predicates: [hasOtherTaints],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** A pod came to a node or went from it, or tolerates something else. */
function isPlaced(event: CacheEvent<corev1.Pod>): boolean {
  const { spec } = event.object;
  if (spec.nodeName === undefined || event.type !== 'Update') return spec.nodeName !== undefined;
  return (
    event.old.spec.nodeName !== spec.nodeName || !jsonEqual(event.old.spec.tolerations, spec.tolerations)
  );
}

function hasOtherTaints(event: CacheEvent<corev1.Node>): boolean {
  if (event.type !== 'Update') return event.type === 'Create';
  return !jsonEqual(event.old.spec.taints, event.object.spec.taints);
}

type Announced = { readonly pod: Stored<corev1.Pod>; readonly until: number };

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, clock } = manager;
  const emit = createEmit(manager);
  const announced = new Map<string, Announced>();
  const callOff = (key: string): void => {
    const known = announced.get(key);
    if (announced.delete(key) && known !== undefined) emit(known.pod, 'Cancelling deletion of');
  };
  const settle = async (key: string, pod: Stored<corev1.Pod>): Promise<Result> => {
    const { taints = [] } = cache.get(corev1.nodes, { name: pod.spec.nodeName ?? '' })?.spec ?? {};
    const now = clock.now();
    const decision = decide(pod, taints, { until: announced.get(key)?.until, now });
    if (decision.type === 'wait') {
      announced.set(key, { pod, until: decision.until });
      return { requeueAfter: decision.until - now };
    }
    if (decision.type === 'stay') callOff(key);
    else {
      announced.delete(key);
      emit(pod, 'Marking for deletion');
      await ignoreNotFound(evict(manager, pod));
    }
    return {};
  };
  return {
    async reconcile(request) {
      const key = formatRequest(request);
      const pod = cache.get(corev1.pods, { namespace: '', ...request });
      if (announced.get(key)?.pod.metadata.uid !== pod?.metadata.uid) callOff(key);
      return pod === undefined || pod.metadata.deletionTimestamp !== undefined ? {} : settle(key, pod);
    },
  };
}

function createEmit(manager: Manager): (pod: Stored<corev1.Pod>, what: string) => void {
  const recorder = manager.recorderFor('taint-eviction-controller');
  return (pod, what) => {
    const message = `${what} Pod ${formatRequest(requestFor(pod))}`;
    recorder.record(pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
  };
}

async function evict({ client, clock }: Manager, pod: Stored<corev1.Pod>): Promise<void> {
  const condition = podCondition(pod, WHY, clock.now());
  if (condition !== undefined) await patchPodStatus(client, pod, { conditions: [condition] });
  const { uid } = pod.metadata;
  await client.delete(corev1.pods, keyOf(pod), { preconditions: { uid } });
}
