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
  /** Repeats of one call at most. Default 10, as client-go. */
  readonly maxRetries?: number;
  /** Wait before the first repeat of a read whose connection failed; doubles. Default 100 ms. */
  readonly baseMs?: number;
  /** No wait is longer, whatever the server asks. Default 30 s. */
  readonly maxMs?: number;
  /** Called before each wait. */
  readonly onRetry?: (request: ApiRequest, waitMs: number, reason: string) => void;
};

type Settings = Required<Omit<RetryOptions, 'onRetry'>> & Pick<RetryOptions, 'onRetry'>;

/**
 * Repeats what is safe to repeat:
 * - any call that the server refused with 429 or 5xx *and* `Retry-After`: it says that it did nothing;
 * - a GET whose connection failed before the answer.
 *
 * A write whose connection failed is not repeated: it may have taken effect, and only the caller knows what that means.
 * Nor is what came after `close()`: it would wait for nothing.
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

/** Milliseconds to wait before the next try; `undefined` when there is to be none. */
function waitAfter(
  outcome: Outcome,
  { method }: ApiRequest,
  tries: number,
  { baseMs, maxMs, random }: Settings,
): number | undefined {
  // Up to a quarter more by chance, so that those who were turned away together do not come back together.
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
