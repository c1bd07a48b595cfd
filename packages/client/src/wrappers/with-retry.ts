import {
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type Random,
  sleep,
  systemClock,
  systemRandom,
  type Transport,
} from '@kubewright/kube';
import { retryAfterSeconds } from '../call/read-response.ts';
import { abortedError } from '../errors/api-error.ts';
import { isConnectionFailed } from '../errors/predicates.ts';
import { discardBody } from '../transport/response-body.ts';

export type RetryOptions = {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Maximum retries of a call. Default 10, as in client-go. */
  readonly maxRetries?: number;
  /** Delay before the first retry of a read whose connection failed; doubles. Default 100 ms. */
  readonly baseMs?: number;
  /** Maximum delay, whatever `Retry-After` is. Default 30 s. */
  readonly maxMs?: number;
  /** Called before each delay. */
  readonly onRetry?: (request: ApiRequest, waitMs: number, reason: string) => void;
};

type Settings = Required<Omit<RetryOptions, 'onRetry'>> & Pick<RetryOptions, 'onRetry'>;

/**
 * Retries what is safe to retry:
 * - a call that the server rejected with 429 or 5xx *and* `Retry-After`: it had no effect;
 * - a GET whose connection failed before the response.
 *
 * A write whose connection failed is not retried: it may have taken effect, and only the caller can tell what that means.
 * Nor is a call after `close()`.
 */
export function withRetry(transport: Transport, options: RetryOptions = {}): Transport {
  const settings: Settings = {
    clock: systemClock,
    random: systemRandom,
    maxRetries: 10,
    baseMs: 100,
    maxMs: 30_000,
    ...options,
  };
  return {
    request: (request) => requestWithRetry(transport, request, settings),
    close: () => transport.close(),
  };
}

async function requestWithRetry(
  transport: Transport,
  request: ApiRequest,
  settings: Settings,
): Promise<ApiResponse> {
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(transport, request);
    const wait = tries < settings.maxRetries ? waitAfter(outcome, request, tries, settings) : undefined;
    if (wait === undefined) {
      if ('error' in outcome) throw outcome.error;
      return outcome.response;
    }
    if ('response' in outcome) await discardBody(outcome.response.body);
    settings.onRetry?.(request, wait, 'error' in outcome ? 'connection' : String(outcome.response.status));
    await sleep(settings.clock, wait, request.signal);
    if (request.signal?.aborted === true) throw abortedError(request.signal);
  }
}

type Outcome = { readonly response: ApiResponse } | { readonly error: unknown };

async function attempt(transport: Transport, request: ApiRequest): Promise<Outcome> {
  try {
    return { response: await transport.request(request) };
  } catch (error) {
    return { error };
  }
}

/** The delay before the next attempt in milliseconds; `undefined` for none. */
function waitAfter(
  outcome: Outcome,
  { method }: ApiRequest,
  tries: number,
  { baseMs, maxMs, random }: Settings,
): number | undefined {
  // Jitter of up to a quarter, so that clients that were rejected together do not retry together.
  const spread = (ms: number): number => Math.min(maxMs, ms * (1 + random() / 4));
  if ('error' in outcome) {
    const repeatable = (method === 'GET' || method === 'HEAD') && isConnectionFailed(outcome.error);
    return repeatable ? spread(baseMs * 2 ** tries) : undefined;
  }
  const { status } = outcome.response;
  const seconds = retryAfterSeconds(outcome.response);
  if (seconds === undefined || (status !== 429 && status < 500)) return undefined;
  return spread(seconds * 1000);
}
