import type { corev1 } from '@kubewright/kube';
import type { MigrationStatus } from '../api.ts';
import type { LivePod } from './observed-migration.ts';

/**
 * Whether the container of a pod that took over was started again, or ended, since the cut: its memory is gone, although the
 * pod is the same. A restart before the cut does no harm; one in the second of the cut (all times are whole seconds)
 * counts as after it, because the pod would wait for its state forever.
 */
export function wasRestarted({ status }: LivePod, { containerName, handover }: MigrationStatus): boolean {
  const found = (status?.containerStatuses ?? []).find(({ name }) => name === containerName);
  const cut = Date.parse(handover?.cut?.time ?? '');
  return found !== undefined && timesOf(found).some((one) => Date.parse(one) >= cut);
}

function timesOf({ restartCount, state, lastState }: corev1.ContainerStatus): readonly string[] {
  // Of the first start, no time counts: the clocks of nodes differ.
  const started = restartCount > 0 ? state?.running?.startedAt : undefined;
  const ended = [state?.terminated?.finishedAt, lastState?.terminated?.finishedAt];
  return [started, ...ended].filter((one) => one !== undefined);
}
