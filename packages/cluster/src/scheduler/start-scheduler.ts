import { KUBERNETES_VERSION, type UserInfo } from '@kubewright/apiserver';
import { type PartEnvironment, partManager, type RunningPart } from '../part-manager.ts';
import { addScheduler, type SchedulerOptions } from './add-scheduler.ts';

/** Who owns the fields that the scheduler writes. */
const PROGRAM = `kube-scheduler/${KUBERNETES_VERSION}`;
/** As whom the scheduler of a cluster is known; every cluster has a role for it. */
const SCHEDULER_USER: UserInfo = {
  username: 'system:kube-scheduler',
  groups: ['system:authenticated'],
};

/**
 * Runs a scheduler, on the embedded API or a real one.
 *
 * @example `startScheduler({ connect: (user) => server.transport(user), signal })`
 */
export function startScheduler(options: PartEnvironment & SchedulerOptions): RunningPart {
  const { manager } = partManager(options, { user: SCHEDULER_USER, program: PROGRAM });
  addScheduler(manager, options);
  const { signal } = options;
  const ended = manager.start(signal);
  return { ready: manager.cache.waitForSync(signal), ended };
}
