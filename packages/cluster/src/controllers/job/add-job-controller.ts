import { batchv1, corev1, defined, type Stored } from '@kubewright/kube';
import { formatLabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import {
  type Cache,
  formatRequest,
  type Manager,
  type Reconciler,
  refreshCache,
  type Request,
  type Result,
  watchKind,
} from '@kubewright/runtime';
import { candidatesFor, indexByController, watchControlled } from '../workloads/watch-controlled.ts';
import { createPodControl } from '../workloads/pod-control.ts';
import { act, type Tools } from './act.ts';
import { JOB_CONTROLLER, MANAGED_BY_US } from './constants.ts';
import { type FailureRecord, NO_FAILURES } from './decide/remaining-back-off.ts';
import { type Circumstances, decide, type JobDecision, type JobStep } from './decide/decide.ts';
import { isFinished } from './decide/ending.ts';
import { addPodRelease } from './add-pod-release.ts';
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
    sources: [watchKind(batchv1.jobs), watchControlled(cache, corev1.pods, batchv1.jobs)],
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
    emit: (about, note) => recorder.record(about, note),
  };
  const memory = jobMemory();
  const next = async (request: Request, round: Round): Promise<Next | undefined> => {
    const known = toBeRun(cache, request);
    if (known === undefined) return memory.forget(request);
    const observed = memory.isTrusted(request, known) ? known : await observeAgain(manager, request);
    if (observed === undefined) return memory.forget(request);
    const failures = memory.of(request, observed);
    const decision = decide(observed, { failures, now: clock.now(), ...round });
    memory.note(request, observed, decision.failures);
    return { ...decision, job: observed.job };
  };
  return {
    async reconcile(request) {
      const tried = new Set<JobStep['type']>();
      let written: batchv1.JobStatus | undefined;
      let failure: { readonly error: unknown } | undefined;
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        const decision = await next(request, { tried, written });
        if (decision?.step === undefined) return end(decision, failure);
        const { job, step } = decision;
        if (step.type !== 'status') tried.add(step.type);
        const done = act(tools, job, step);
        // The status is kept up to date whatever became of the pods.
        if (step.type === 'status') {
          memory.trust(request, await done);
          written = step.status;
        } else await done.catch((error: unknown) => (failure ??= { error }));
      }
      return { requeueAfter: BACKOFF.baseMs };
    },
  };
}

type Round = Pick<Circumstances, 'tried' | 'written'>;
type Next = JobDecision & { readonly job: Stored<batchv1.Job> };

function end(decision: Next | undefined, failure: { readonly error: unknown } | undefined): Result {
  if (failure !== undefined) throw failure.error;
  const { requeueAfter, requeue } = decision ?? {};
  if (requeue) return { requeue };
  return defined({ requeueAfter });
}

/** A Job that is neither over nor another controller's. */
function toBeRun(cache: Cache, request: Request): Observed | undefined {
  const observed = observe(cache, request);
  if (observed === undefined || isFinished(observed.job)) return undefined;
  return (observed.job.spec.managedBy ?? MANAGED_BY_US) === MANAGED_BY_US ? observed : undefined;
}

/**
 * Asks the server for a Job and its pods. For the Job first: whatever it does not yet count, its pods still show. The
 * other way round, one of them could be counted, or made, twice. So the Job is as it was then, although a watch may have
 * brought a later one meanwhile: to write it is a conflict.
 */
async function observeAgain(manager: Manager, request: Request): Promise<Observed | undefined> {
  const { cache } = manager;
  const { namespace, name } = request;
  await refreshCache(manager, batchv1.jobs, { namespace, name });
  const job = toBeRun(cache, request)?.job;
  if (job === undefined) return undefined;
  const labelSelector = formatLabelSelector(selectorFromLabelSelector(job.spec.selector));
  await refreshCache(manager, corev1.pods, { namespace, labelSelector });
  return { job, candidates: candidatesFor(cache, corev1.pods, job) };
}

type Memory = {
  /** False where another process may have created or counted pods, and the cache not show it yet. */
  isTrusted(request: Request, observed: Observed): boolean;
  of(request: Request, observed: Observed): FailureRecord;
  note(request: Request, observed: Observed, record: FailureRecord): void;
  /** Takes a Job that we wrote ourselves, from one that was trusted. */
  trust(request: Request, written: Stored<batchv1.Job> | undefined): void;
  forget(request: Request): undefined;
};

type Remembered = { readonly uid: string; readonly version: string; readonly record: FailureRecord };

/**
 * When pods failed is not in the status, and forgotten with the process, as kube-controller-manager forgets it. And the
 * version of the Job that we looked at last: what another process did before or did later, one that led before or still
 * thinks so, our cache may not show yet. Without a second look, pods would be counted again, or made again.
 */
function jobMemory(): Memory {
  const jobs = new Map<string, Remembered>();
  const recall = (request: Request, { job }: Observed): Remembered | undefined => {
    const known = jobs.get(formatRequest(request));
    return known?.uid === job.metadata.uid ? known : undefined;
  };
  return {
    isTrusted(request, observed) {
      const { metadata, status } = observed.job;
      const known = recall(request, observed);
      if (known === undefined) return false;
      const isCounted = status?.uncountedTerminatedPods !== undefined;
      return !isCounted || known.version === metadata.resourceVersion;
    },
    of: (request, observed) => recall(request, observed)?.record ?? NO_FAILURES,
    note(request, { job }, record) {
      const { uid, resourceVersion: version } = job.metadata;
      jobs.set(formatRequest(request), { uid, version, record });
    },
    trust(request, written) {
      const known = jobs.get(formatRequest(request));
      const { uid, resourceVersion: version = '' } = written?.metadata ?? {};
      if (known !== undefined && known.uid === uid) jobs.set(formatRequest(request), { ...known, version });
    },
    forget(request) {
      jobs.delete(formatRequest(request));
      return undefined;
    },
  };
}
