import type { UserInfo } from '@kubewright/apiserver';
import {
  type Clock,
  createClient,
  type Random,
  systemClock,
  systemRandom,
  withRetry,
  withUserAgent,
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

/** Who owns the fields that the scheduler writes. */
const USER_AGENT = 'kube-scheduler/v1.36.2';

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
  const transport = withRetry(withUserAgent(options.transport, USER_AGENT), { clock, random });
  const manager = createManager({ client: createClient(transport), clock, random, log });
  addScheduler(manager, options);
  const ended = manager.start(signal);
  return { ready: manager.cache.waitForSync(signal), ended };
}
