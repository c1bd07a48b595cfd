import { AwsV4Signer } from 'aws4fetch';
import {
  createHttp1Transport,
  isConnectionFailed,
  sleep,
  systemClock,
  systemRandom,
} from '@kubewright/client';
import { type ApiRequest, errorText } from '@kubewright/kube';
import type { Environment } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { type S3Limits, type S3Response, s3Response } from './s3-response.ts';
import { type S3Settings, s3Settings } from './s3-settings.ts';

/** Signed requests to a bucket. */
export type S3Client = {
  /** The bucket at its server, for messages. */
  readonly title: string;
  /**
   * Every request may be made again, and is: where the connection breaks off, the server is silent, or overloaded. So
   * a PUT or a DELETE may have taken effect already. Rejects with `Unavailable`.
   */
  send(call: S3Call): Promise<S3Response>;
};

type S3Call = {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** None: of the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

const RETRIES = 5;
const FIRST_RETRY_MS = 100;
/** No attempt begins later. */
const PATIENCE_MS = 90_000;
/** A conflict is another write of the object at that moment. */
const PASSING = [408, 409, 425, 429, 500, 502, 503, 504];

const ENDPOINT =
  'see AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, HTTPS_PROXY, and AWS_CA_BUNDLE for a certificate of your own';

/** The signal ends every request, the reading of its response too. */
export function s3Client(bucket: string, env: Environment, limits: S3Limits = {}): S3Client {
  const settings = s3Settings(bucket, env);
  const transport = createHttp1Transport({ url: new URL(settings.url).origin, ...settings.connection });
  let isReached = false;
  const attempt = async (call: S3Call): Promise<S3Response> => {
    const response = await s3Response(transport, await signed(call, settings), limits);
    isReached = true;
    return response;
  };
  return {
    title: settings.title,
    async send(call) {
      const deadline = systemClock.monotonic() + PATIENCE_MS;
      for (let tries = 0; ; tries++) {
        const outcome = await outcomeOf(attempt(call));
        limits.signal?.throwIfAborted();
        const wait = waitAfter(outcome, tries, isReached);
        if (wait === undefined || systemClock.monotonic() + wait > deadline)
          return resultOf(outcome, settings);
        await sleep(systemClock, wait, limits.signal);
        limits.signal?.throwIfAborted();
      }
    },
  };
}

type Outcome = { readonly response: S3Response } | { readonly error: unknown };

async function outcomeOf(attempt: Promise<S3Response>): Promise<Outcome> {
  try {
    return { response: await attempt };
  } catch (error) {
    return { error };
  }
}

/** In milliseconds, with jitter; undefined where another attempt is of no use. */
function waitAfter(outcome: Outcome, tries: number, isReached: boolean): number | undefined {
  const isPassing =
    'error' in outcome ? isBrokenOff(outcome.error, isReached) : PASSING.includes(outcome.response.status);
  if (!isPassing || tries >= RETRIES) return undefined;
  const wait = FIRST_RETRY_MS * 2 ** tries * (1 + systemRandom() / 4);
  const asked = 'response' in outcome ? Number(outcome.response.header('retry-after')) : 0;
  return asked > 0 ? Math.max(wait, asked * 1000) : wait;
}

/** A server that was never reached has probably another address. */
function isBrokenOff(error: unknown, isReached: boolean): boolean {
  if (error instanceof OperatorError) return error.code === 'TimedOut';
  if (!isConnectionFailed(error)) return false;
  const { cause } = error as Error;
  return isReached || cause === undefined || codeOf(cause) === 'ECONNRESET' || codeOf(cause) === 'EPIPE';
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException).code;
}

function resultOf(outcome: Outcome, { host }: S3Settings): S3Response {
  if ('response' in outcome) return outcome.response;
  const { error: cause } = outcome;
  if (cause instanceof OperatorError && cause.code !== 'TimedOut') throw cause;
  const message = `${host} cannot be reached: ${reasonOf(cause)}; ${ENDPOINT}`;
  throw new OperatorError('Unavailable', message, { cause });
}

function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  if (error instanceof OperatorError || !(cause instanceof Error)) return errorText(error);
  return cause.message || codeOf(cause) || errorText(error);
}

/** Signed at each attempt: a signature is good for a quarter of an hour. */
async function signed(
  { method, key, query = {}, headers = {}, body }: S3Call,
  { url: bucketUrl, credentials }: S3Settings,
): Promise<ApiRequest> {
  const path = key === undefined ? '' : `/${key.split('/').map(encoded).join('/')}`;
  const search = Object.entries(query)
    .map((pair) => pair.map(encoded).join('='))
    .join('&');
  const url = new URL(`${bucketUrl}${path}${search && `?${search}`}`);
  const signer = new AwsV4Signer({
    ...credentials,
    service: 's3',
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? '') },
    ...(body !== undefined && { body }),
  });
  const sent = await signer.sign();
  return {
    method,
    path: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(sent.headers.entries()),
    ...(body !== undefined && { body }),
  };
}

/** As signatures encode it: a server may compute them from path and query as they were sent. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
