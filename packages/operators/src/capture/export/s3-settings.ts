import { readRegularFile, proxyFromEnvironment, type TransportOptions } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import { rootCertificates } from 'node:tls';
import type { Environment } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';

/** What requests to a bucket are signed with. */
type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
};

export type S3Settings = {
  readonly credentials: S3Credentials;
  /** Of the bucket, without a slash at its end. */
  readonly url: string;
  /** The bucket at its server, for messages. */
  readonly title: string;
  readonly host: string;
  readonly connection: Pick<TransportOptions, 'proxyUrl' | 'tls'>;
};

/** Many times the certificates of all authorities. */
const LARGEST_BUNDLE = 16_777_216;

/** All comes from the variables that the AWS command line reads, and from nowhere else: arguments are seen by others. */
export function s3Settings(bucket: string, env: Environment): S3Settings {
  const credentials = credentialsIn(env);
  const server = endpointIn(env, credentials.region);
  const url = bucketUrl(server.url, bucket, styleIn(env, server.isDefault, bucket));
  const proxyUrl = proxyFromEnvironment(url, env);
  return {
    credentials,
    url,
    title: `${bucket} at ${server.url.host}`,
    host: new URL(url).host,
    connection: defined({ proxyUrl, tls: bundleIn(env) }),
  };
}

function credentialsIn(env: Environment): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new OperatorError(
      'Usage',
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for exports to s3://; for a profile of the AWS files: eval "$(aws configure export-credentials --format env)"',
    );
  rejectInvalid(env);
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';
  const sessionToken = env['AWS_SESSION_TOKEN'] || undefined;
  return { accessKeyId, secretAccessKey, region, ...defined({ sessionToken }) };
}

/** What ends up in a header; an invalid one would be in the error of the request. */
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

function endpointIn(env: Environment, region: string): { readonly url: URL; readonly isDefault: boolean } {
  const given = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'];
  const text = given || `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && url.search === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return { url, isDefault: !given };
  // It may hold a password: it is not repeated.
  throw new OperatorError(
    'Usage',
    'AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is no plain http:// or https:// URL',
  );
}

const STYLE = 'AWS_S3_ADDRESSING_STYLE';

/**
 * AWS itself is addressed by the name of the bucket, unless that has a dot, which its certificate does not cover; other
 * stores by path: all but a few know it.
 */
function styleIn(env: Environment, isDefault: boolean, bucket: string): 'path' | 'virtual' {
  const style = env[STYLE] || 'auto';
  if (style === 'path' || style === 'virtual') return style;
  if (style !== 'auto') throw new OperatorError('Usage', `${STYLE} is none of path, virtual and auto`);
  return isDefault && !bucket.includes('.') ? 'virtual' : 'path';
}

function bucketUrl({ protocol, host, pathname }: URL, bucket: string, style: 'path' | 'virtual'): string {
  const base = pathname.replace(/\/$/, '');
  return style === 'virtual'
    ? `${protocol}//${bucket}.${host}${base}`
    : `${protocol}//${host}${base}/${bucket}`;
}

/** The authorities of the file are trusted beside those of Node.js. */
function bundleIn(env: Environment): TransportOptions['tls'] {
  const file = env['AWS_CA_BUNDLE'];
  if (!file) return undefined;
  return async () => {
    const bundle = await readRegularFile(file, LARGEST_BUNDLE).catch((cause: Error) => {
      throw new OperatorError('Usage', `AWS_CA_BUNDLE: ${cause.message}`, { cause });
    });
    return { ca: [...rootCertificates, bundle.toString()].join('\n') };
  };
}
