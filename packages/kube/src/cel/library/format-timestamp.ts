import { detailsOf } from './parse-timestamp.ts';

/** RFC 3339 with as many digits of the second as needed, in the offset that the text of the time named. */
export function formatTimestamp(time: Date): string {
  const { nanoseconds, offset } = detailsOf(time);
  const local = new Date(time.getTime() + offset * 60_000).toISOString();
  const fraction = `${local.slice(20, 23)}${String(nanoseconds).padStart(6, '0')}`.replace(/0+$/, '');
  return `${local.slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}${formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const two = (count: number): string => String(count).padStart(2, '0');
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
