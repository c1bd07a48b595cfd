import type { Handover } from '../api.ts';
import type { LivePod } from './observed-migration.ts';
import { isOfProcess } from '../process-queues.ts';
import { type Context, reportOf } from './turn.ts';

/**
 * Which run of the process a pod has now: by its own report, or, if it makes none, by its container. Undefined: unknown.
 */
export function instanceOf(context: Context, uid: string | undefined): string | undefined {
  const { status, observed } = context;
  if (!isOfProcess(status)) return reportOf(context, uid)?.instance;
  const pod = [observed.named, observed.shadow].find((one) => one?.metadata.uid === uid);
  return pod === undefined ? undefined : containerRun(pod, status.containerName);
}

/** Whether the process of a pod is known to be another one than was recorded. */
export function isOtherInstance(context: Context, { uid, instance }: Handover['from']): boolean {
  const now = instanceOf(context, uid);
  return instance !== undefined && now !== undefined && now !== instance;
}

/** Another value each time that the container starts. */
export function containerRun({ status }: LivePod, name: string | undefined): string | undefined {
  const found = (status?.containerStatuses ?? []).find((one) => one.name === name);
  if (found?.containerID === undefined) return undefined;
  return found.state?.running === undefined ? `${found.containerID} (ended)` : found.containerID;
}
