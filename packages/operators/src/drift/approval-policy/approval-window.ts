import { KubeError } from '@kubewright/kube';
import { type CronSchedule, isTimeZone, nextDue, parseCronSchedule } from '@kubewright/kube/schedule';
import { parseDuration } from '../../kit/parse-duration.ts';
import type { ApprovalWindow } from './approval-policies.ts';

/** A window that can be read: it opens by the schedule, and stays open so many milliseconds. */
export type OpeningHours = { readonly schedule: CronSchedule; readonly ms: number };

/** The window, or what is wrong with it. */
export function readWindow({ schedule, duration, timeZone = 'UTC' }: ApprovalWindow): OpeningHours | string {
  const ms = parseDuration(duration);
  if (ms === undefined || ms <= 0) return `duration: ${duration} is no duration, such as 8h or 90m`;
  if (!isTimeZone(timeZone)) return `timeZone: unknown time zone ${timeZone}`;
  try {
    const parsed = parseCronSchedule(schedule, timeZone);
    return parsed.type === 'at' ? { schedule: parsed, ms } : 'schedule: @every names no moment';
  } catch (error) {
    if (error instanceof KubeError) return `schedule: ${error.message}`;
    throw error;
  }
}

/** Whether it has opened within its duration. */
export function isOpen({ schedule, ms }: OpeningHours, now: Date): boolean {
  const opened = nextDue(schedule, now.getTime() - ms);
  return opened !== undefined && opened <= now.getTime();
}
