import { AwsClient } from 'aws4fetch';
import { errorText } from '@kubewright/kube';
import type { Environment } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { s3Response, type S3Response } from './s3-response.ts';
import type { S3Limits } from './s3-response.ts';

/** One signed request to a bucket. */
export type S3Client = {
  /** The bucket at its server, for messages. */
  readonly title: string;
  /** Rejects with `Unavailable`. */
  send(call: S3Call): Promise<S3Response>;
};

type S3Call = {
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Makes the request a PUT; `sha256` is that of the content, which the server verifies. */
  readonly put?: { readonly content: string; readonly sha256: string };
};

/** Of an empty body. */
const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** With back-off, when the server is overloaded: about a second in all. */
const RETRIES = 5;

const ENDPOINT =
  'see AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and NODE_EXTRA_CA_CERTS for a certificate of your own';

/**
 * Credentials, region and endpoint come from the variables that the AWS command line reads, and from nowhere else. The
 * signal ends every request, the reading of its response too.
 */
export function s3Client(bucket: string, env: Environment, limits: S3Limits = {}): S3Client {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new OperatorError('Usage', 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for exports to s3://');
  rejectInvalid(env);
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';
  const endpoint = endpointIn(env, region);
  const sessionToken = env['AWS_SESSION_TOKEN'] || undefined;
  const aws = new AwsClient({
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    retries: RETRIES,
    ...(sessionToken !== undefined && { sessionToken }),
  });
  return {
    title: `${bucket} at ${endpoint.host}`,
    async send({ key, query = {}, put }) {
      const path = key === undefined ? bucket : `${bucket}/${key}`;
      const url = new URL(`${endpoint.href.replace(/\/$/, '')}/${path.split('/').map(encoded).join('/')}`);
      url.search = Object.entries(query)
        .map((pair) => pair.map(encoded).join('='))
        .join('&');
      const headers = { 'x-amz-content-sha256': put?.sha256 ?? NOTHING };
      const init = put === undefined ? { method: 'GET' } : { method: 'PUT', body: put.content };
      // A redirect leads to another region, whose signature is another.
      const options = { ...init, headers, redirect: 'manual' } as const;
      const call = (signal: AbortSignal): Promise<Response> => aws.fetch(url, { ...options, signal });
      return s3Response(put?.content.length ?? 0, call, limits).catch((cause: unknown) => {
        limits.signal?.throwIfAborted();
        const message = `${endpoint.host} cannot be reached: ${reasonOf(cause)}; ${ENDPOINT}`;
        throw new OperatorError('Unavailable', message, { cause });
      });
    },
  };
}

/** As signatures encode it: a server may compute them from path and query as they were sent. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What ends up in a header; an invalid one would be in the error of `fetch`. */
const IN_HEADERS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
];

/** Values are secrets: they are not repeated. */
function rejectInvalid(env: Environment): void {
  const invalid = IN_HEADERS.find((name) => !/^[\x21-\x7e]*$/.test(env[name] ?? ''));
  if (invalid === undefined) return;
  const message = `${invalid} has a blank, a line break or another invalid character; set it anew`;
  throw new OperatorError('Usage', message);
}

function endpointIn(env: Environment, region: string): URL {
  const text = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && url.search === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  // It may hold a password: it is not repeated.
  throw new OperatorError(
    'Usage',
    'AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is no plain http:// or https:// URL',
  );
}

/** `fetch` says only that it failed; why is its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  if (!(cause instanceof Error)) return errorText(error);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || code || errorText(error);
}
