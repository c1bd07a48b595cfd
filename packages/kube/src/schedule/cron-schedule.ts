import { parseDuration } from './parse-duration.ts';
import { KubeError } from '../kube-error.ts';
import { quoteGo } from '../object/quote-go.ts';
import { type CronField, DAYS, HOURS, MINUTES, MONTHS, MONTH_DAYS, parseCronField } from './cron-field.ts';
import { isTimeZone } from './zone-offset.ts';

/** When something is due: at moments of the wall clock of a zone, or every so many milliseconds. */
export type CronSchedule =
  | { readonly type: 'every'; readonly ms: number }
  | {
      readonly type: 'at';
      readonly minutes: CronField;
      readonly hours: CronField;
      readonly monthDays: CronField;
      readonly months: CronField;
      readonly days: CronField;
      readonly zone: string;
    };

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Reads `spec.schedule` of a CronJob, which Kubernetes gives to `robfig/cron`: five fields, or a word with `@`, and
 * before either perhaps `TZ=` or `CRON_TZ=`; in `zone` where it names none. Throws {@link KubeError} `InvalidSchedule`
 * in that library's words.
 */
export function parseCronSchedule(text: string, zone = 'UTC'): CronSchedule {
  if (text === '') throw invalid('empty spec string');
  const prefix = /^(?:CRON_)?TZ=/.exec(text)?.[0];
  if (prefix === undefined) return parseSpec(text, zone);
  const space = text.indexOf(' ');
  if (space < 0) throw invalid('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  return parseSpec(text.slice(space).trim(), parseZone(text.slice(prefix.length, space)));
}

/** No time zone, and the machine's own, mean UTC, as clusters use. */
function parseZone(name: string): string {
  if (name === '' || name === 'Local') return 'UTC';
  if (!isTimeZone(name)) throw invalid(`provided bad location ${name}: unknown time zone ${name}`);
  return name;
}

function parseSpec(spec: string, zone: string): CronSchedule {
  if (spec.startsWith('@every ')) return { type: 'every', ms: parseDelay(spec) };
  const [minutes = '', hours = '', monthDays = '', months = '', days = ''] = fieldsOf(spec);
  return {
    type: 'at',
    minutes: parseCronField(minutes, MINUTES),
    hours: parseCronField(hours, HOURS),
    monthDays: parseCronField(monthDays, MONTH_DAYS),
    months: parseCronField(months, MONTHS),
    days: parseCronField(days, DAYS),
    zone,
  };
}

function fieldsOf(spec: string): readonly string[] {
  const meant = Object.hasOwn(DESCRIPTORS, spec) ? (DESCRIPTORS[spec] ?? '') : spec;
  if (meant.startsWith('@')) throw invalid(`unrecognized descriptor: ${spec}`);
  const fields = meant.split(/\s+/).filter((field) => field !== '');
  if (fields.length === 5) return fields;
  throw invalid(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
}

/** Whole seconds, at least one. */
function parseDelay(spec: string): number {
  const text = spec.slice('@every '.length);
  try {
    const { seconds } = parseDuration(text);
    return Math.max(1, Number(seconds)) * 1000;
  } catch {
    throw invalid(`failed to parse duration ${spec}: ${durationProblem(text)}`);
  }
}

/** In the words of Go's `time.ParseDuration`. */
function durationProblem(text: string): string {
  const shown = quoteGo(text);
  const unit =
    /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(?:\d+(?:\.\d*)?|\.\d+)([^\d.]*)/.exec(
      text,
    )?.[1];
  if (unit === undefined) return `time: invalid duration ${shown}`;
  return unit === ''
    ? `time: missing unit in duration ${shown}`
    : `time: unknown unit ${quoteGo(unit)} in duration ${shown}`;
}

function invalid(message: string): KubeError {
  return new KubeError('InvalidSchedule', message);
}
