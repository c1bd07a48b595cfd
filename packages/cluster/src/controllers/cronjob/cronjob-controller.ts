import { batchv1, controllerOf, defined, type Stored } from '@kubewright/kube';
import {
  type Clock,
  formatRequest,
  type Manager,
  type Predicate,
  type Reconciler,
  refreshCache,
  type Request,
  requestFor,
  watchKind,
  watchOwned,
} from '@kubewright/runtime';
import { indexByController } from '../workloads/watch-controlled.ts';
import { act, type Tools } from './act.ts';
import { decide, scheduleOf } from './decide/decide.ts';
import { untilNext } from './decide/due-time.ts';
import { observe } from './observe.ts';

/** The service account of `kube-system` that it acts as. */
export const CRONJOB_CONTROLLER = 'cronjob-controller';

const CONCURRENT = 5;

/** Makes Jobs when it is time. */
export function addCronJobController(manager: Manager): void {
  indexByController(manager.cache, batchv1.jobs);
  const schedules = changedSchedules(manager.clock);
  const jobs = firstRead(manager);
  manager.addController({
    name: 'cronjob',
    reconciler: reconcilerOf(manager, schedules, jobs.readOnce),
    sources: [
      watchKind(batchv1.cronjobs, { predicates: [schedules.note, jobs.note] }),
      watchOwned(batchv1.jobs, { group: 'batch', kind: 'CronJob' }, { predicates: [schedules.noteJob] }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

function reconcilerOf(
  manager: Manager,
  schedules: ChangedSchedules,
  readOnce: FirstRead['readOnce'],
): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(CRONJOB_CONTROLLER);
  const tools: Tools = { client, emit: (about, note) => recorder.record(about, note) };
  return {
    async reconcile(request) {
      const wait = schedules.wait(request);
      if (wait > 0) return { requeueAfter: wait };
      const known = await observe(cache, client, request);
      const isDue = known !== undefined && decide(known, clock.now()).create !== undefined;
      if (isDue) await readOnce(request);
      const observed = isDue ? await observe(cache, client, request) : known;
      if (observed === undefined) return {};
      const decision = decide(observed, clock.now());
      await act(tools, observed.cronJob, decision);
      const { requeueAfter } = decision;
      return defined({ requeueAfter });
    },
  };
}

type FirstRead = {
  readonly readOnce: (request: Request) => Promise<void>;
  readonly note: Predicate<batchv1.CronJob>;
};

/**
 * Reads the Jobs of a namespace from the server, once: what another process made there before, perhaps without noting
 * it, our cache may not show yet, and a Job would run beside it. Where a CronJob goes it is read again, so that no more
 * namespaces are remembered than have CronJobs.
 */
function firstRead(manager: Manager): FirstRead {
  const read = new Set<string>();
  return {
    async readOnce({ namespace = '' }) {
      if (read.has(namespace)) return;
      await refreshCache(manager, batchv1.jobs, { namespace });
      read.add(namespace);
    },
    note({ type, object }) {
      if (type === 'Delete') read.delete(object.metadata.namespace);
      return true;
    },
  };
}

type ChangedSchedules = {
  readonly note: Predicate<batchv1.CronJob>;
  readonly noteJob: Predicate<batchv1.Job>;
  /** Milliseconds. */
  readonly wait: (request: Request) => number;
};

/**
 * A new schedule begins with its next moment: what it would have had before is not made up for, unless something else
 * happens to the CronJob meanwhile.
 */
function changedSchedules(clock: Clock): ChangedSchedules {
  const until = new Map<string, number>();
  return {
    note(event) {
      const key = formatRequest(requestFor(event.object));
      until.delete(key);
      if (event.type !== 'Update' || !isRescheduled(event.old, event.object)) return true;
      const schedule = scheduleOf(event.object);
      const now = clock.now();
      if (!('problem' in schedule)) until.set(key, now + untilNext(event.object, schedule, now));
      return true;
    },
    noteJob({ object }) {
      const { name = '' } = controllerOf(object) ?? {};
      until.delete(formatRequest({ ...requestFor(object), name }));
      return true;
    },
    wait(request) {
      const key = formatRequest(request);
      const wait = (until.get(key) ?? 0) - clock.now();
      if (wait <= 0) until.delete(key);
      return wait;
    },
  };
}

function isRescheduled({ spec: old }: Stored<batchv1.CronJob>, { spec }: Stored<batchv1.CronJob>): boolean {
  return old.schedule !== spec.schedule || old.timeZone !== spec.timeZone;
}
