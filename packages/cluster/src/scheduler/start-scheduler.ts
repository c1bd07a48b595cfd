import type { UserInfo } from '@kubewright/apiserver';
import {
  type Clock,
  createClient,
  type Random,
  systemClock,
  systemRandom,
  withRetry,
} from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { createManager, type Logger, silentLogger } from '@kubewright/runtime';
import type { RunningControllers } from '../controllers/start-controllers.ts';
import { addScheduler, type SchedulerOptions } from './scheduler.ts';

/** As whom the scheduler of a cluster is known; every cluster has a role for it. */
export const SCHEDULER_USER: UserInfo = {
  username: 'system:kube-scheduler',
  groups: ['system:authenticated'],
};

export type RunSchedulerOptions = SchedulerOptions & {
  /** Calls as {@link SCHEDULER_USER}, or as one who may do as much. */
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
};

/**
 * Runs a scheduler, on the embedded API or a real one.
 *
 * @example `startScheduler({ transport: server.transport(SCHEDULER_USER), signal })`
 */
export function startScheduler(options: RunSchedulerOptions): RunningControllers {
  const { signal, clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const transport = withRetry(options.transport, { clock, random });
  const manager = createManager({ client: createClient(transport), clock, random, log });
  addScheduler(manager, options);
  const ended = manager.start(signal);
  return { ready: manager.cache.waitForSync(signal), ended };
}
