import type { LivePod } from './observed-migration.ts';

/** A pod that took longer was ready before, and has been unready since. */
const LONGEST_SECONDS = 600;

/** How long a pod took to start: from its creation until it was ready, or else until its container ran. 0: unknown. */
export function startSeconds({ metadata: { creationTimestamp }, status }: LivePod): number {
  const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const ran = (status?.containerStatuses ?? []).map(({ state }) => state?.running?.startedAt);
  const seconds = [ready, ...ran].map(
    (time) => (Date.parse(time ?? '') - Date.parse(creationTimestamp ?? '')) / 1000,
  );
  return Math.round(seconds.find((one) => one >= 0 && one <= LONGEST_SECONDS) ?? 0);
}
