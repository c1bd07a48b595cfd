import { ignoreNotFound, sleep } from '@kubewright/client';
import type { History, Scenario, ScenarioContext } from '@kubewright/cluster';
import type { Stored } from '@kubewright/kube';
import { CAPTURE_SCHEDULES } from '@kubewright/operators';
import { captureDay } from './capture.ts';
import { NAMESPACE } from './capture-objects.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';

const NAME = 'often';
const KEY = { namespace: NAMESPACE, name: NAME };
const EVERY_SECONDS = 60;
const KEPT = 2;
/** Runs that the world waits for: more than are kept. */
const RUNS = 4;
const LOOK_MS = 5000;
const SCHEDULED_AT = 'capture.kubewright.io/scheduled-at';
const REQUESTS = ['manifestcapturerequests', 'volumecapturerequests'];

/** Captures by the clock until more runs have been made than are kept; then the schedule is deleted, with all that it made. */
async function keepSchedule({ client, clock, signal }: ScenarioContext): Promise<void> {
  await client.create(CAPTURE_SCHEDULES, {
    apiVersion: 'capture.kubewright.io/v1alpha1',
    kind: 'CaptureSchedule',
    metadata: KEY,
    spec: {
      schedule: `@every ${EVERY_SECONDS}s`,
      retention: { count: KEPT },
      manifests: { selection: { kinds: [{ apiVersion: 'v1', kind: 'ConfigMap' }] } },
      volumes: { externalErrorPolicy: 'UntilDeadline' },
    },
  });
  const times = new Set<string>();
  while (times.size < RUNS && !signal.aborted) {
    const live = await ignoreNotFound(client.get(CAPTURE_SCHEDULES, KEY));
    if (live?.status?.lastSuccessTime !== undefined) times.add(live.status.lastSuccessTime);
    await sleep(clock, LOOK_MS, signal);
  }
  await ignoreNotFound(client.delete(CAPTURE_SCHEDULES, KEY, { propagationPolicy: 'Background' }));
}

/** Of which run a request is, and of what. */
function runOf({ metadata, ...object }: Stored): string | undefined {
  const at = metadata.annotations?.[SCHEDULED_AT];
  const [owner] = metadata.ownerReferences ?? [];
  if (at === undefined || owner === undefined) return undefined;
  const target = (object as { spec?: { target?: { uid?: string } } }).spec?.target?.uid ?? '';
  return `${object.kind} ${owner.uid} ${at} ${target}`;
}

/** Each run makes each of its requests once, whatever was lost in between. */
function madeTwice({ all }: History): string | undefined {
  const made = new Map<string, string>();
  for (const { object, resource, type } of all) {
    const run = REQUESTS.includes(resource) && type === 'ADDED' ? runOf(object) : undefined;
    if (run === undefined) continue;
    const known = made.get(run);
    if (known !== undefined && known !== object.metadata.uid)
      return `${object.metadata.name} was made twice for one run`;
    made.set(run, object.metadata.uid);
  }
  return undefined;
}

/** The moment that is noted never goes back: a run would be made once more. */
function goesBack({ all }: History): string | undefined {
  let last = '';
  for (const { object, resource } of all) {
    if (resource !== CAPTURE_SCHEDULES.resource) continue;
    const { lastScheduleTime = '' } = (object as { status?: { lastScheduleTime?: string } }).status ?? {};
    if (lastScheduleTime < last) return `lastScheduleTime went from ${last} to ${lastScheduleTime}`;
    last = lastScheduleTime;
  }
  return undefined;
}

/** A day of captures, some of them by the clock. */
export function schedulesDay(): OperatorDay {
  const day = captureDay();
  const ended = new WeakSet<AbortSignal>();
  return {
    ...day,
    name: 'capture-schedules',
    observed: [...(day.observed ?? []), ['capture.kubewright.io', 'captureschedules']],
    async script(context) {
      await Promise.all([day.script?.(context), keepSchedule(context)]);
      ended.add(context.signal);
    },
    async missing(context) {
      if (!ended.has(context.signal)) return 'the schedule has not made its runs';
      const left = await ignoreNotFound(context.client.get(CAPTURE_SCHEDULES, KEY));
      return left === undefined ? day.missing(context) : 'the schedule is still there';
    },
    invariants: {
      ...day.invariants,
      'a run makes each of its requests once': madeTwice,
      'a schedule goes forward': goesBack,
    },
  };
}

export const schedulesScenario = (): Scenario => operatorScenario(schedulesDay());
