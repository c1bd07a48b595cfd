import {
  type ApiRequest,
  type ApiResponse,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  decodedValue,
  type Status,
} from '@kubewright/kube';
import { ApiError, abortedError, localError } from '../errors/api-error.ts';
import { readStatus } from '../errors/read-status.ts';
import { unservedResource } from '../errors/unserved-resource.ts';
import { collectBody } from '../transport/response-body.ts';

/** Largest response body that is read into memory by default. */
export const DEFAULT_MAX_BODY_BYTES: number = 512 * 1024 * 1024;
/** An API server's message for an unserved resource of a built-in group; for other groups it sends no Status. */
const UNSERVED = 'the server could not find the requested resource';
/** How much of a body that is not a Status goes into the error's message. */
const QUOTED_CHARACTERS = 500;

/** The JSON object of a successful response. Everything else is thrown as an `ApiError`. */
export async function readResponse(
  request: ApiRequest,
  response: ApiResponse,
  limit: number,
  onHead?: (head: Uint8Array) => void,
): Promise<JsonObject> {
  const isFailure = response.status < 200 || response.status > 299;
  const body = await collectBody(response.body, limit, isFailure ? undefined : onHead);
  if (isFailure) throw errorOf(request, response, body);
  // An in-process body ends without an error when the call is aborted: what was read may be half an object.
  const { signal } = request;
  if (signal?.aborted === true) throw abortedError(signal);
  const value = parseOr(body, (error) => {
    throw localError('InvalidResponse', notAnObject(request, response, body, 'not JSON'), error);
  });
  if (!isJsonObject(value))
    throw localError('InvalidResponse', notAnObject(request, response, body, 'JSON, but no object'));
  return value;
}

function notAnObject(request: ApiRequest, response: ApiResponse, body: Uint8Array, what: string): string {
  const text = `the response to ${request.method} ${request.path} (${response.status}) is ${what}`;
  return `${text}: ${beginningOf(body)}; is this the URL of a Kubernetes API server?`;
}

/** Of a page or a text that a proxy sends. Not of JSON: half a list of Secrets is no JSON object either. */
function beginningOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8').slice(0, QUOTED_CHARACTERS).trim();
  if (text === '') return 'no further information';
  return /^[[{"]/.test(text) ? `${body.length} bytes` : text;
}

/** The error for an unsuccessful response. */
export function errorOf({ path }: ApiRequest, response: ApiResponse, body: Uint8Array): ApiError {
  const value = parseOr(body, () => null);
  const after = retryAfterSeconds(response);
  const options = after === undefined ? {} : { retryAfterSeconds: after };
  const status = isJsonObject(value) && getOwn(value, 'kind') === 'Status' ? readStatus(value) : undefined;
  const sent = status ?? unknownStatus(response, body);
  const unserved = response.status === 404 && (status === undefined || status.message === UNSERVED);
  const message = unserved ? unservedResource(path) : undefined;
  const explained = message === undefined ? sent : { ...sent, message, reason: 'NotFound' };
  return new ApiError({ ...explained, code: response.status }, options);
}

function unknownStatus({ status: code }: ApiResponse, body: Uint8Array): Status {
  const message = `the server answered ${code}: ${beginningOf(body)}`;
  const reason = 'Unknown';
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}

/** `Retry-After` in seconds. API servers do not send the form with a date. */
export function retryAfterSeconds(response: ApiResponse): number | undefined {
  const value = response.headers['retry-after'];
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

function parseOr(body: Uint8Array, otherwise: (error: unknown) => Json): Json {
  try {
    return decodedValue(body) ?? parseJson(body);
  } catch (error) {
    return otherwise(error);
  }
}
