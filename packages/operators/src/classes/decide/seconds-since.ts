/** Whole seconds from an RFC 3339 time until now; 0 where it is not set. */
export function secondsSince(time: string | undefined, now: Date): number {
  return time === undefined ? 0 : Math.floor((now.getTime() - Date.parse(time)) / 1000);
}

/** Seconds until the next reconcile of a class that has been in its phase for `elapsed`. */
export const BACKOFF = {
  progressing: (elapsed: number): number => clamp(Math.round(elapsed / 4), 5, 60),
  degraded: (elapsed: number): number => clamp(Math.round(elapsed / 4), 10, 300),
  deleting: (elapsed: number): number => clamp(Math.round(elapsed / 4), 2, 30),
} as const;

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
