import type { JsonObject } from '@kubewright/kube';
import { has, isTrue, maybeObject, numberAt, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { isBeingDeleted } from './column.ts';

/** What `kubectl get pods` prints of a pod. `lastRestart` is RFC 3339, empty where nothing restarted. */
export type PodSummary = {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string;
};

const summaries = new WeakMap<JsonObject, PodSummary>();

/** Computed once per object: four columns read it. */
export function summarizePod(pod: JsonObject): PodSummary {
  let summary = summaries.get(pod);
  if (summary === undefined) {
    summary = summarize(pod);
    summaries.set(pod, summary);
  }
  return summary;
}

function summarize(pod: JsonObject): PodSummary {
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const sidecars = sidecarNames(spec);
  const init = walkInitContainers(spec, status, sidecars);
  const total = objectsAt(spec, 'containers').length + sidecars.size;
  if (init.reason !== undefined && !hasCondition(status, 'Initialized')) {
    return { ready: init.ready, total, reason: finalReason(pod, init.reason), ...sum(init.restarts) };
  }
  const main = walkContainers(status);
  return {
    ready: init.ready + main.ready,
    total,
    reason: finalReason(pod, main.reason),
    ...sum([...init.sidecarRestarts, ...main.restarts]),
  };
}

type Restart = { readonly count: number; readonly last: string };

function restartOf(container: JsonObject): Restart {
  return {
    count: numberAt(container, 'restartCount'),
    last: stringAt(objectAt(container, 'lastState', 'terminated'), 'finishedAt'),
  };
}

function sum(restarts: readonly Restart[]): Pick<PodSummary, 'restarts' | 'lastRestart'> {
  return {
    restarts: restarts.reduce((count, restart) => count + restart.count, 0),
    lastRestart: restarts.reduce((last, restart) => (restart.last > last ? restart.last : last), ''),
  };
}

/** Init containers that go on running beside the others. */
function sidecarNames(spec: JsonObject): ReadonlySet<string> {
  const sidecars = objectsAt(spec, 'initContainers').filter((c) => stringAt(c, 'restartPolicy') === 'Always');
  return new Set(sidecars.map((container) => stringAt(container, 'name')));
}

function walkInitContainers(
  spec: JsonObject,
  status: JsonObject,
  sidecars: ReadonlySet<string>,
): { ready: number; reason?: string; restarts: Restart[]; sidecarRestarts: Restart[] } {
  const restarts: Restart[] = [];
  const sidecarRestarts: Restart[] = [];
  const total = objectsAt(spec, 'initContainers').length;
  let ready = 0;
  for (const [index, container] of objectsAt(status, 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(stringAt(container, 'name'));
    restarts.push(restartOf(container));
    if (isSidecar) sidecarRestarts.push(restartOf(container));
    const started = isSidecar && isTrue(container, 'started');
    if (!isDone(container) && !started) {
      return { ready, reason: initReason(container, index, total), restarts, sidecarRestarts };
    }
    if (!isDone(container) && isTrue(container, 'ready')) ready++;
  }
  return { ready, restarts, sidecarRestarts };
}

function isDone(container: JsonObject): boolean {
  const terminated = maybeObject(objectAt(container, 'state'), 'terminated');
  return terminated !== undefined && numberAt(terminated, 'exitCode') === 0;
}

function initReason(container: JsonObject, index: number, total: number): string {
  const terminated = maybeObject(objectAt(container, 'state'), 'terminated');
  if (terminated !== undefined) return `Init:${terminationReason(terminated)}`;
  const waiting = stringAt(objectAt(container, 'state', 'waiting'), 'reason');
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
}

function terminationReason(terminated: JsonObject): string {
  const reason = stringAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

function walkContainers(status: JsonObject): { ready: number; reason: string; restarts: Restart[] } {
  const restarts: Restart[] = [];
  let ready = 0;
  let reason = phaseReason(status);
  let errorReason = '';
  // Backwards, so that the first container decides.
  for (const container of [...objectsAt(status, 'containerStatuses')].reverse()) {
    const state = objectAt(container, 'state');
    const terminated = maybeObject(state, 'terminated');
    const waiting = stringAt(objectAt(state, 'waiting'), 'reason');
    restarts.push(restartOf(container));
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) {
      reason = terminationReason(terminated);
      if (numberAt(terminated, 'exitCode') !== 0) errorReason = reason;
    } else if (isTrue(container, 'ready') && has(state, 'running')) ready++;
  }
  return { ready, reason: reason === 'Completed' ? mixed(status, ready, errorReason) : reason, restarts };
}

/** Some containers completed: what the others do decides. */
function mixed(status: JsonObject, running: number, errorReason: string): string {
  if (running > 0 && hasCondition(status, 'Ready')) return 'Running';
  if (errorReason !== '') return errorReason;
  return running > 0 ? 'NotReady' : 'Completed';
}

function hasCondition(status: JsonObject, type: string): boolean {
  return objectsAt(status, 'conditions').some(
    (condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === 'True',
  );
}

function phaseReason(status: JsonObject): string {
  const gated = objectsAt(status, 'conditions').some(
    (condition) =>
      stringAt(condition, 'type') === 'PodScheduled' && stringAt(condition, 'reason') === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : stringAt(status, 'reason') || stringAt(status, 'phase');
}

function finalReason(pod: JsonObject, reason: string): string {
  const status = objectAt(pod, 'status');
  if (!isBeingDeleted(pod)) return reason;
  if (stringAt(status, 'reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(stringAt(status, 'phase')) ? reason : 'Terminating';
}
