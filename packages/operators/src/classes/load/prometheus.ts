import { type Clock, callWithin } from '@kubewright/runtime';
import {
  defined,
  errorText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  parseJson,
  withoutTrailing,
} from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import type { MetricsAnswer, MetricsSource, Series } from './metrics-source.ts';

/** The longest accepted response, in bytes. */
const LONGEST = 4 * 1024 * 1024;
/** Characters of a warning that are kept. */
const LONGEST_WARNING = 200;

export type PrometheusOptions = {
  /** May have a path; credentials in it are sent as Basic authentication. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Prometheus' HTTP API: https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries */
export function prometheus({ url, timeoutMs, clock }: PrometheusOptions): MetricsSource {
  const { endpoint, headers } = endpointOf(url);
  return {
    query: (promql, signal) =>
      callWithin(clock, timeoutMs, signal, async (ended) => {
        const address = new URL(endpoint);
        address.searchParams.set('query', promql);
        try {
          const response = await get(address, { headers, signal: ended });
          return answerIn(response.status, await textOf(response));
        } catch (error) {
          throw unreachable(error);
        }
      }),
  };
}

/**
 * A server that closes a kept connection when a request is on its way to it has not read the request: it is sent once
 * more.
 */
function get(address: URL, options: RequestInit): Promise<Response> {
  return fetch(address, options).catch((error: unknown) => {
    if (wasClosed(error)) return fetch(address, options);
    throw error;
  });
}

/** `fetch` says only that it failed; what did is its cause. */
function unreachable(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const why = errorText(error instanceof Error ? (error.cause ?? error) : error);
  return new OperatorError('Unavailable', `Prometheus cannot be reached: ${why}`, { cause: error });
}

function wasClosed(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function endpointOf(text: string): { readonly endpoint: URL; readonly headers: Record<string, string> } {
  const url = parsed(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.pathname = `${withoutTrailing(url.pathname, '/')}/api/v1/query`;
  const accept = { accept: 'application/json' };
  if (username === '') return { endpoint: url, headers: accept };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { endpoint: url, headers: { ...accept, authorization } };
}

/** The URL is not in the error, because it may contain a password. */
function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new OperatorError('Usage', 'OPRC_CRM_PROM_URL is not an http or https URL');
  return url;
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LONGEST)
      throw new OperatorError('Failed', `Prometheus' response is longer than ${LONGEST} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString();
}

function answerIn(status: number, text: string): MetricsAnswer {
  const answer = jsonOr(text);
  if (status !== 200 || at(answer, 'status') !== 'success') {
    const error = at(answer, 'error');
    const why = typeof error === 'string' ? `: ${error.slice(0, 200)}` : '';
    throw new OperatorError('Failed', `Prometheus responded ${status}${why}`);
  }
  const result = at(at(answer, 'data'), 'result');
  const type = at(at(answer, 'data'), 'resultType');
  if (type !== 'vector' || !isJsonArray(result))
    throw new OperatorError('Failed', "Prometheus' result is not a vector");
  return defined({ series: result.flatMap((item) => seriesOf(item)), warning: warningIn(answer) });
}

/** Thanos says in `warnings` which store it has not read, VictoriaMetrics in `isPartial` that a node was away. */
function warningIn(answer: Json): string | undefined {
  const warnings = at(answer, 'warnings');
  const [first] = isJsonArray(warnings) ? warnings : [];
  if (first !== undefined) return typeof first === 'string' ? first.slice(0, LONGEST_WARNING) : 'warnings';
  return at(answer, 'isPartial') === true ? 'isPartial' : undefined;
}

function jsonOr(text: string): Json {
  try {
    return parseJson(Buffer.from(text));
  } catch {
    return null;
  }
}

/** Samples that are not finite numbers (`NaN`, `+Inf`) are dropped. */
function seriesOf(item: Json): readonly Series[] {
  const sample = at(item, 'value');
  const text = isJsonArray(sample) ? sample[1] : undefined;
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return [];
  const metric = at(item, 'metric');
  const labels = isJsonObject(metric) ? Object.entries(metric) : [];
  const texts = labels.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return [{ labels: Object.fromEntries(texts), value }];
}

function at(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? getOwn(value, key) : undefined;
}
