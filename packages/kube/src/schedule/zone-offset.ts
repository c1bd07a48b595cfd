/** Wall clock times as if they were UTC, so that they can be counted with. Formatters are costly to make. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether a time zone of the IANA data base has this name; names are case sensitive, as files are. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // A name that stands for another zone is not told apart from one in the wrong case.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** How far a zone is ahead of UTC at a moment. Both in milliseconds. */
export function zoneOffset(zone: string, time: number): number {
  if (zone === 'UTC') return 0;
  const second = Math.floor(time / 1000) * 1000;
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, s) - second;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const formatter = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  formatters.set(zone, formatter);
  return formatter;
}

/** RFC 3339 with whole seconds and the zone's offset: `2026-03-29T03:00:00+02:00`, `…Z` for UTC. */
export function formatTimeIn(zone: string, time: number): string {
  const offset = zoneOffset(zone, time);
  const local = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const minutes = Math.abs(Math.trunc(offset / 60_000));
  const two = (count: number): string => String(count).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
