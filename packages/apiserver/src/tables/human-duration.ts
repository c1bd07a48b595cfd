const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A span of milliseconds as `kubectl get` shows ages: two or three significant figures (`2m5s`, `7h3m`, `3d4h`).
 * A clock up to two seconds behind reads as `0s`, further behind as `<invalid>`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(milliseconds / MINUTE);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  return longDuration(Math.trunc(milliseconds / HOUR), minutes);
}

function longDuration(hours: number, minutes: number): string {
  const days = Math.trunc(hours / 24);
  const years = Math.trunc(days / 365);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (years < 2) return `${days}d`;
  if (years < 8) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

/** The time since an RFC 3339 `timestamp`; `<unknown>` where there is none. */
export function ageOf(timestamp: string | undefined, now: Date): string {
  const since = timestamp === undefined || timestamp === '' ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(since) ? '<unknown>' : humanDuration(now.getTime() - since);
}
