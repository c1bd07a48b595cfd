import { batchv1, corev1 } from '@kubewright/kube';
import {
  type Cache,
  formatRequest,
  type Manager,
  type Reconciler,
  type Request,
  type Result,
  watchKind,
} from '@kubewright/runtime';
import { indexByController, watchControlled } from '../workloads/by-controller.ts';
import { createPodControl } from '../workloads/pod-control.ts';
import { act, type Tools } from './act.ts';
import { JOB_CONTROLLER, MANAGED_BY_US } from './constants.ts';
import { type FailureRecord, NO_FAILURES } from './decide/back-off.ts';
import { decide, type JobDecision, type JobStep } from './decide/decide.ts';
import { isFinished } from './decide/ending.ts';
import { addPodRelease } from './pod-release.ts';
import { type Observed, observe } from './observe.ts';

const CONCURRENT = 5;
const BACKOFF = { baseMs: 1000, maxMs: 60_000 };
/** More than any round needs; so a decision that contradicts itself cannot keep a worker forever. */
const MOST_STEPS = 20;

/** Runs Jobs to their completion. */
export function addJobController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, corev1.pods);
  manager.addController({
    name: 'job',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(batchv1.jobs),
      watchControlled(corev1.pods, { ref: batchv1.jobs, group: 'batch', kind: 'Job', cache }),
    ],
    maxConcurrentReconciles: CONCURRENT,
    backoff: BACKOFF,
  });
  addPodRelease(manager);
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(JOB_CONTROLLER);
  const tools: Tools = {
    client,
    pods: createPodControl(client, recorder),
    tell: (about, note) => void recorder.record(about, note),
  };
  const memory = failureMemory();
  const next = (request: Request, tried: Tried): Next | undefined => {
    const observed = toBeRun(cache, request);
    if (observed === undefined) return memory.forget(request);
    const failures = memory.of(request, observed);
    const decision = decide(observed, { failures, now: clock.now(), tried });
    memory.note(request, observed, decision.failures);
    return { ...decision, job: observed.job };
  };
  return {
    async reconcile(request) {
      const tried = new Set<JobStep['type']>();
      let failure: { readonly error: unknown } | undefined;
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        const decision = next(request, tried);
        if (decision?.step === undefined) return end(decision, failure);
        const { job, step } = decision;
        if (step.type !== 'status') tried.add(step.type);
        const done = act(tools, job, step);
        // The status is kept up to date whatever became of the pods.
        if (step.type === 'status') await done;
        else await done.catch((error: unknown) => (failure ??= { error }));
      }
      return { requeueAfter: BACKOFF.baseMs };
    },
  };
}

type Tried = ReadonlySet<JobStep['type']>;
type Next = JobDecision & { readonly job: batchv1.Job };

function end(decision: Next | undefined, failure: { readonly error: unknown } | undefined): Result {
  if (failure !== undefined) throw failure.error;
  const { requeueAfter } = decision ?? {};
  return requeueAfter === undefined ? {} : { requeueAfter };
}

/** A Job that is neither over nor another controller's. */
function toBeRun(cache: Cache, request: Request): Observed | undefined {
  const observed = observe(cache, request);
  if (observed === undefined || isFinished(observed.job)) return undefined;
  return (observed.job.spec.managedBy ?? MANAGED_BY_US) === MANAGED_BY_US ? observed : undefined;
}

type Memory = {
  of(request: Request, observed: Observed): FailureRecord;
  note(request: Request, observed: Observed, record: FailureRecord): void;
  forget(request: Request): undefined;
};

/** When pods failed is not in the status, and forgotten with the process, as kube-controller-manager forgets it. */
function failureMemory(): Memory {
  const records = new Map<string, { readonly uid: string; readonly record: FailureRecord }>();
  const uidOf = ({ job }: Observed): string => job.metadata.uid ?? '';
  return {
    of(request, observed) {
      const known = records.get(formatRequest(request));
      return known?.uid === uidOf(observed) ? known.record : NO_FAILURES;
    },
    note(request, observed, record) {
      records.set(formatRequest(request), { uid: uidOf(observed), record });
    },
    forget(request) {
      records.delete(formatRequest(request));
      return undefined;
    },
  };
}
