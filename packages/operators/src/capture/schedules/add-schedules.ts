import { ignoreNotFound } from '@kubewright/client';
import {
  type ActOutcome,
  decisions,
  type Io,
  type Manager,
  type Steps,
  watchKind,
  watchOwned,
} from '@kubewright/runtime';
import { COMPONENT } from '../api/annotations.ts';
import {
  CAPTURE_SCHEDULES,
  type CaptureSchedule,
  type CaptureScheduleStatus,
} from '../api/capture-schedule.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { addOverdueMetric } from './add-overdue-metric.ts';
import { decide, refusedSchedule, type ScheduleAction } from './decide.ts';
import { observe } from './observe.ts';
import type { ObservedSchedule } from './observed-schedule.ts';

type ScheduleSteps = Steps<ObservedSchedule, ScheduleAction, CaptureScheduleStatus, CaptureSchedule>;

const STEPS: ScheduleSteps = {
  observe,
  decide,
  act,
  refused: refusedSchedule,
  subject: ({ schedule }) => schedule,
};

/** A run of a namespace with many claims makes a request for each. */
const MAX_STEPS = 2000;

/** Makes requests by the clock, and deletes those of old runs. */
export function addSchedules(manager: Manager): void {
  addOverdueMetric(manager);
  manager.addController({
    name: 'captureschedule',
    reconciler: decisions(manager, CAPTURE_SCHEDULES, STEPS, {
      component: COMPONENT,
      maxSteps: MAX_STEPS,
    }),
    sources: [
      watchKind(CAPTURE_SCHEDULES),
      watchOwned(MANIFEST_CAPTURE_REQUESTS, CAPTURE_SCHEDULES),
      watchOwned(VOLUME_CAPTURE_REQUESTS, CAPTURE_SCHEDULES),
    ],
  });
}

/** Makes one write. A request that exists already is a conflict, and everything is observed again. */
async function act(action: ScheduleAction, { client }: Io): Promise<ActOutcome> {
  if (action.type === 'create') {
    const { request } = action;
    if (request.kind === 'ManifestCaptureRequest') await client.create(MANIFEST_CAPTURE_REQUESTS, request);
    else await client.create(VOLUME_CAPTURE_REQUESTS, request);
    return 'done';
  }
  const { namespace, request } = action;
  const key = { namespace, name: request.name };
  const options = { preconditions: { uid: request.uid }, propagationPolicy: 'Background' } as const;
  if (request.kind === 'ManifestCaptureRequest')
    await ignoreNotFound(client.delete(MANIFEST_CAPTURE_REQUESTS, key, options));
  else await ignoreNotFound(client.delete(VOLUME_CAPTURE_REQUESTS, key, options));
  return 'done';
}
