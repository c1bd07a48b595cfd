import {
  type ApiResponse,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  saidBy,
  type Status,
} from '@kubewright/kube';
import { ApiError, abortedError, localError } from '../errors/api-error.ts';
import { collectBody } from '../transport/response-body.ts';

/** Largest answer that is read into memory unless the caller sets another bound. */
export const DEFAULT_MAX_BODY_BYTES: number = 512 * 1024 * 1024;
/** Of an answer that is not a Status, so much goes into the error's message. */
const QUOTED_CHARACTERS = 500;

/** The JSON object of a successful answer. Everything else is thrown as an `ApiError`. */
export async function readAnswer(
  response: ApiResponse,
  signal: AbortSignal | undefined,
  limit: number,
  onHead?: (head: Uint8Array) => void,
): Promise<JsonObject> {
  const isRefused = response.status < 200 || response.status > 299;
  const body = await collectBody(response.body, limit, isRefused ? undefined : onHead);
  if (isRefused) throw refusal(response, body);
  // In-process bodies end quietly when the call is aborted: what was read may be half an object.
  if (signal?.aborted === true) throw abortedError(signal);
  const value = parseOr(body, (error) => {
    throw localError('InvalidResponse', `the server answered ${response.status} without valid JSON`, error);
  });
  if (!isJsonObject(value)) throw localError('InvalidResponse', 'the server answered with no JSON object');
  return value;
}

/** The error that an unsuccessful answer stands for. */
export function refusal(response: ApiResponse, body: Uint8Array): ApiError {
  const value = parseOr(body, () => null);
  const after = retryAfterSeconds(response);
  const options = after === undefined ? {} : { retryAfterSeconds: after };
  if (isJsonObject(value) && getOwn(value, 'kind') === 'Status') {
    return new ApiError({ ...(value as unknown as Status), code: response.status }, options);
  }
  const text = Buffer.from(body).toString('utf8').slice(0, QUOTED_CHARACTERS).trim();
  return new ApiError(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `the server answered ${response.status}: ${text === '' ? 'no further information' : text}`,
      reason: 'Unknown',
      code: response.status,
    },
    options,
  );
}

/** Seconds that the server asks to wait. The form with a date is not used by API servers. */
export function retryAfterSeconds(response: ApiResponse): number | undefined {
  const value = response.headers['retry-after'];
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

function parseOr(body: Uint8Array, otherwise: (error: unknown) => Json): Json {
  try {
    return saidBy(body) ?? parseJson(body);
  } catch (error) {
    return otherwise(error);
  }
}
