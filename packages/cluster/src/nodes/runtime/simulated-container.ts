import { type corev1, defined } from '@kubewright/kube';
import type { Behaviour } from './behaviour.ts';
import type { ContainerStart, ContainerState } from './container-runtime.ts';

/** How and when a container ends. */
export type Exit = Omit<Extract<ContainerState, { type: 'exited' }>, 'type' | 'startedAt'>;

/** One attempt of a simulated container. Its state is a function of these and the time. */
export type SimulatedContainer = {
  readonly start: ContainerStart;
  readonly startedAt: number;
  readonly behaviour: Behaviour;
  /** It was asked to end. */
  readonly stopped?: Exit;
};

/** Exit codes of SIGKILL, and of SIGTERM for who does not handle it. */
const KILLED = 137;
const TERMINATED = 143;

/** Servers end well when they are asked to; work that is broken off has failed. */
function serves({ pod, container }: ContainerStart): boolean {
  return (container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always') === 'Always';
}

/** How it ends when it is asked to now; what was decided by an earlier asking is kept where that comes sooner. */
export function stopOf(
  { start, behaviour, stopped }: SimulatedContainer,
  now: number,
  graceMs: number,
): Exit {
  const { stopMs = 0, stopCode = serves(start) ? 0 : TERMINATED } = behaviour;
  const killedAt = now + graceMs;
  if (stopped !== undefined) {
    return stopped.finishedAt <= killedAt ? stopped : { finishedAt: killedAt, exitCode: KILLED };
  }
  return stopMs <= graceMs && graceMs > 0
    ? { finishedAt: now + stopMs, exitCode: stopCode }
    : { finishedAt: killedAt, exitCode: KILLED };
}

/** How it will end, as far as is known. */
function exitOf({ start, startedAt, behaviour, stopped }: SimulatedContainer): Exit | undefined {
  const { exitAfterMs, exitCode = 0, exitReason, exits = Number.POSITIVE_INFINITY, startError } = behaviour;
  if (startError !== undefined)
    return { finishedAt: startedAt, exitCode: 128, reason: 'StartError', message: startError };
  const byItself: Exit | undefined =
    exitAfterMs === undefined || start.attempt >= exits
      ? undefined
      : {
          finishedAt: startedAt + exitAfterMs,
          exitCode,
          ...defined({ reason: exitReason }),
        };
  if (stopped === undefined) return byItself;
  return byItself !== undefined && byItself.finishedAt <= stopped.finishedAt ? byItself : stopped;
}

/** When the startup probe succeeds, when the readiness probe does, and when the liveness probe has failed for good. */
function healthOf({ start: { container }, startedAt, behaviour }: SimulatedContainer): {
  readonly startedUp: number;
  readonly ready: number;
  readonly unhealthy: number;
} {
  const { readyAfterMs = 0, unready = false, unhealthyAfterMs } = behaviour;
  const startedUp = startedAt + probeDelay(container.startupProbe);
  const ready = Math.max(startedUp, startedAt + probeDelay(container.readinessProbe)) + readyAfterMs;
  return {
    startedUp,
    ready: unready ? Number.POSITIVE_INFINITY : ready,
    unhealthy: unhealthyAfterMs === undefined ? Number.POSITIVE_INFINITY : startedAt + unhealthyAfterMs,
  };
}

/** Milliseconds until a probe that always succeeds has done so often enough. */
function probeDelay(probe: corev1.Probe | undefined): number {
  if (probe === undefined) return 0;
  const { initialDelaySeconds = 0, successThreshold = 1, periodSeconds = 10 } = probe;
  return (initialDelaySeconds + (successThreshold - 1) * periodSeconds) * 1000;
}

export function stateOf(container: SimulatedContainer, now: number): ContainerState {
  const { startedAt } = container;
  const exit = exitOf(container);
  if (exit !== undefined && exit.finishedAt <= now) return { type: 'exited', startedAt, ...exit };
  const { startedUp, ready, unhealthy } = healthOf(container);
  return {
    type: 'running',
    startedAt,
    started: startedUp <= now,
    ready: ready <= now,
    ...(unhealthy <= now ? { unhealthy: 'liveness' } : {}),
  };
}

/** When its state will be another one by itself. */
export function nextChange(container: SimulatedContainer, now: number): number | undefined {
  const { startedUp, ready, unhealthy } = healthOf(container);
  const end = exitOf(container)?.finishedAt ?? Number.POSITIVE_INFINITY;
  if (end <= now) return undefined;
  const next = Math.min(...[startedUp, ready, unhealthy, end].filter((at) => at > now));
  return next === Number.POSITIVE_INFINITY ? undefined : next;
}
