type Bounds = { readonly min: number; readonly max: number; readonly names: readonly string[] };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Why a cron schedule cannot be read, in the words of `robfig/cron`; undefined where it can. */
export function scheduleProblem(schedule: string): string | undefined {
  const spec = withoutZone(schedule);
  if (spec.startsWith('@')) return descriptorProblem(spec);
  const fields = spec.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  return fields
    .map((field, index) => fieldProblem(field, FIELDS[index] as Bounds))
    .find((text) => text !== undefined);
}

function withoutZone(schedule: string): string {
  if (!/^(CRON_)?TZ=/.test(schedule)) return schedule;
  const space = schedule.indexOf(' ');
  return space < 0 ? '' : schedule.slice(space).trim();
}

function descriptorProblem(spec: string): string | undefined {
  if (DESCRIPTORS.includes(spec) || /^@every \d+(\.\d+)?(ns|us|ms|s|m|h)/.test(spec)) return undefined;
  return `unrecognized descriptor: ${spec}`;
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  return field
    .split(',')
    .filter((part) => part !== '')
    .map((part) => rangeProblem(part, bounds))
    .find((text) => text !== undefined);
}

function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const parts = text.split('/');
  const ends = (parts[0] ?? '').split('-');
  if (ends.length > 2) return `too many hyphens: ${text}`;
  if (parts.length > 2) return `too many slashes: ${text}`;
  const any = ends[0] === '*' || ends[0] === '?';
  const problem = any
    ? undefined
    : ends.map((end) => numberProblem(end, bounds)).find((found) => found !== undefined);
  if (problem !== undefined) return problem;
  const step = parts[1] === undefined ? undefined : numberProblem(parts[1], { ...bounds, names: [] });
  if (step !== undefined) return step;
  return any ? stepProblem(parts[1], text) : orderProblem(ends, parts[1], text, bounds);
}

function numberProblem(text: string, { names }: Bounds): string | undefined {
  if (names.includes(text.toLowerCase()) || /^\d+$/.test(text)) return undefined;
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}

function stepProblem(step: string | undefined, text: string): string | undefined {
  return step !== undefined && Number(step) === 0
    ? `step of range should be a positive number: ${text}`
    : undefined;
}

function orderProblem(
  ends: readonly string[],
  step: string | undefined,
  text: string,
  bounds: Bounds,
): string | undefined {
  const start = valueOf(ends[0] ?? '', bounds);
  const single = ends[1] === undefined;
  const end = single ? (step === undefined ? start : bounds.max) : valueOf(ends[1] ?? '', bounds);
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return stepProblem(step, text);
}

function valueOf(text: string, { names, min }: Bounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? named + min : Number(text);
}
