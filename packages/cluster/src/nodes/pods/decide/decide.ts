import { type corev1, defined, parseTime, type Stored } from '@kubewright/kube';
import type { Observed } from '../observed.ts';
import { fieldPathOf, type PodContainer, podContainers } from '../pod-containers.ts';
import type { PodEnd } from '../pod-record.ts';
import type { PodDecision } from './pod-decision.ts';
import { again, type Draft, known, newDraft } from './draft.ts';
import { startContainer } from './start-container.ts';
import { turnOf } from './turn.ts';
import { stopContainer, windDown } from './wind-down.ts';

const OBSTACLE_RETRY_MS = 1000;

/** What a node does next for a pod that is bound to it. Pure; `now` is in milliseconds since 1970. */
export function decide(observed: Observed, now: number): PodDecision {
  const { pod, record } = observed;
  const draft = newDraft(record);
  const end = record.end ?? pastDeadline(observed, draft, now);
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  if (isDeleted || end !== undefined || isTerminal(pod)) {
    const ended = windDown(observed, draft, graceOf(pod, end), now);
    return decided(observed, draft, { end, isTerminal: ended, finished: ended && isDeleted });
  }
  const obstacle = keepUp(observed, draft, now);
  const idle = draft.actions.length === 0 && obstacle === undefined;
  const isOver = idle && isAtRest(observed) && turnOf(observed).over;
  return decided(observed, draft, { obstacle, isTerminal: isOver, finished: false });
}

type Outcome = Pick<PodDecision, 'isTerminal' | 'finished'> & {
  readonly end?: PodEnd | undefined;
  readonly obstacle?: string | undefined;
};

function decided(
  { record }: Observed,
  draft: Draft,
  { end, obstacle, isTerminal, finished }: Outcome,
): PodDecision {
  const { actions, events, containers, requeueAfter } = draft;
  const { obstacle: _, ...known } = record;
  return {
    actions,
    events,
    record: {
      ...known,
      containers,
      ...defined({ end, obstacle }),
    },
    isTerminal,
    finished,
    ...defined({ requeueAfter }),
  };
}

/** Starts what is due, as soon as the pod may start at all. Returns what prevents that. */
function keepUp(observed: Observed, draft: Draft, now: number): string | undefined {
  const { record, obstacle, createMs } = observed;
  const isNew = ![...record.containers.values()].some(({ attempt }) => attempt !== undefined);
  if (isNew && obstacle !== undefined) {
    if (record.obstacle !== obstacle.message) draft.events.push({ type: 'Warning', ...obstacle });
    again(draft, OBSTACLE_RETRY_MS);
    return obstacle.message;
  }
  const wait = record.since + createMs - now;
  if (isNew && wait > 0) {
    again(draft, wait);
    return undefined;
  }
  const { due, over } = turnOf(observed);
  if (over) windDown(observed, draft, graceOf(observed.pod), now);
  for (const one of due) tend(observed, draft, one, now);
  return undefined;
}

/** Keeps one container as it should be. */
function tend(observed: Observed, draft: Draft, one: PodContainer, now: number): void {
  const state = observed.containers.get(one.container.name)?.state;
  if (state?.type !== 'running') return startContainer(observed, draft, one, now);
  if (state.unhealthy === undefined) return;
  const probe = state.unhealthy === 'liveness' ? 'Liveness' : 'Startup';
  const message = `Container ${one.container.name} failed ${state.unhealthy} probe, will be restarted`;
  if (known(draft, one.container.name).stopBy === undefined) {
    const unhealthy = `${probe} probe failed: HTTP probe failed with statuscode: 500`;
    const fieldPath = fieldPathOf(one);
    draft.events.push({ type: 'Warning', reason: 'Unhealthy', message: unhealthy, fieldPath });
  }
  stopContainer(draft, one, { graceMs: graceOf(observed.pod), now, message });
}

function pastDeadline({ pod }: Observed, draft: Draft, now: number): PodEnd | undefined {
  const { activeDeadlineSeconds } = pod.spec;
  const { startTime } = pod.status ?? {};
  if (activeDeadlineSeconds === undefined || startTime === undefined || isTerminal(pod)) return undefined;
  const left = parseTime(startTime).getTime() + activeDeadlineSeconds * 1000 - now;
  if (left > 0) {
    again(draft, left);
    return undefined;
  }
  const end = {
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  };
  draft.events.push({ type: 'Normal', ...end });
  return end;
}

function isTerminal({ status }: Stored<corev1.Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isAtRest({ pod, containers }: Observed): boolean {
  return podContainers(pod).every(
    ({ container }) => containers.get(container.name)?.state?.type !== 'running',
  );
}

/** Milliseconds that containers get to end in. */
function graceOf({ metadata, spec }: Stored<corev1.Pod>, end?: PodEnd): number {
  if (end?.isEviction === true) return 0;
  return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
}
