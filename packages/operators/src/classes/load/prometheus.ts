import { collectBody } from '@kubewright/client';
import { type Clock, callWithin } from '@kubewright/runtime';
import {
  type ApiRequest,
  type ApiResponse,
  errorText,
  type Transport,
  withoutTrailing,
} from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import type { MetricsSource } from './metrics-source.ts';
import { nextStepOfConnection } from './next-step.ts';
import { answerIn } from './answer-in.ts';
import { sourceAccess, type SourceFiles } from './source-access.ts';

/** The longest accepted response, in bytes. */
const LONGEST = 4 * 1024 * 1024;
const LONGEST_PATH = 6000;

export type PrometheusOptions = SourceFiles & {
  /** May have a path; credentials in it are sent as Basic authentication. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Prometheus' HTTP API: https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries */
export function prometheus({ url, timeoutMs, clock, ...files }: PrometheusOptions): MetricsSource & {
  /** Closes the connections that are kept: a Prometheus accepts 512. */
  readonly close: () => Promise<void>;
} {
  const { endpoint, headers } = endpointOf(url);
  const { access, close } = sourceAccess(endpoint.origin, files);
  return {
    close,
    query: (promql, signal) =>
      callWithin(clock, timeoutMs, signal, async (ended) => {
        const address = new URL(endpoint);
        address.searchParams.set('query', promql);
        // VictoriaMetrics otherwise responds as of 30 seconds ago, and says that it is of now. Others ignore it.
        address.searchParams.set('nocache', '1');
        try {
          const { transport, headers: secret } = await access(ended);
          const request = requestFor(address, { ...headers, ...secret });
          const { status, body } = await send(transport, { ...request, signal: ended });
          return answerIn(status, await collectBody(body, LONGEST));
        } catch (error) {
          throw unreachable(error);
        }
      }),
  };
}

/** In the body where it is long: proxies on the way accept 8 KiB of a head, and only some sources other requests than GET. */
function requestFor(address: URL, headers: Readonly<Record<string, string>>): ApiRequest {
  const path = `${address.pathname}${address.search}`;
  if (path.length <= LONGEST_PATH) return { method: 'GET', path, headers };
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', path: address.pathname, headers: form, body: address.searchParams.toString() };
}

/**
 * A server that closes a kept connection when a request is on its way to it has not read the request: it is sent once
 * more.
 */
function send(transport: Transport, request: ApiRequest): Promise<ApiResponse> {
  return transport.request(request).catch((error: unknown) => {
    if (wasClosed(error)) return transport.request(request);
    throw error;
  });
}

/** An error of the client says only that the connection failed; why is its cause. */
function unreachable(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const step = nextStepOfConnection(codeOf(error));
  const why = [errorText(cause), ...(step === undefined ? [] : [step])].join(': ');
  return new OperatorError('Unavailable', `Prometheus cannot be reached: ${why}`, { cause: error });
}

function wasClosed(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
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
