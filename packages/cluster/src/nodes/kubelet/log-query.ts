import { parseTime } from '@kubewright/kube';

/** What is wanted of a container's log. */
export type LogQuery = {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Milliseconds since 1970: nothing that was said before. */
  readonly since: number | undefined;
  readonly tail: number | undefined;
  readonly limitBytes: number | undefined;
};

/** Reads the query of a request at `now`, as kubelet does. */
export function logQuery(query: URLSearchParams, now: number): LogQuery | 'undecodable' | 'invalid' {
  const tail = tailOf(query);
  const sinceSeconds = integer(query.get('sinceSeconds'));
  const limitBytes = integer(query.get('limitBytes'));
  const sinceTime = time(query.get('sinceTime'));
  if ([tail, sinceSeconds, limitBytes, sinceTime].some(Number.isNaN)) return 'undecodable';
  const twice = sinceSeconds !== undefined && sinceTime !== undefined;
  if (twice || !fits(tail, 0) || !fits(limitBytes, 1) || !fits(sinceSeconds, 1)) return 'invalid';
  const since = sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000;
  return {
    follow: isSet(query, 'follow'),
    previous: isSet(query, 'previous'),
    timestamps: isSet(query, 'timestamps'),
    since,
    tail,
    limitBytes,
  };
}

function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** `tail` is an older name of the parameter. */
function tailOf(query: URLSearchParams): number | undefined {
  const text = query.get('tail') ?? '';
  if (text === 'all') return undefined;
  return integer(text === '' ? query.get('tailLines') : text);
}

/** Undefined where nothing is said, NaN where it makes no sense. */
function integer(text: string | null): number | undefined {
  if (text === null) return undefined;
  return /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
}

function time(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  try {
    return parseTime(text).getTime();
  } catch {
    return Number.NaN;
  }
}

function fits(value: number | undefined, least: number): boolean {
  return value === undefined || value >= least;
}
