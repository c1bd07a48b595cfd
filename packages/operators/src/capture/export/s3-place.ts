import { OperatorError } from '../../operator-error.ts';

/** Where an export is in a store that speaks S3. */
export type S3Place = {
  readonly bucket: string;
  /** Ends with a slash, unless it is empty. */
  readonly prefix: string;
};

const SCHEME = 's3://';
/** The naming rules of buckets. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export function isS3(source: string): boolean {
  return source.startsWith(SCHEME);
}

/** `s3://BUCKET/PREFIX`. */
export function s3Place(source: string): S3Place {
  const [bucket = '', ...path] = source.slice(SCHEME.length).split('/');
  if (path.at(-1) === '') path.pop();
  if (!BUCKET.test(bucket)) throw usage(source, 'has no valid name of a bucket; write s3://BUCKET/PREFIX');
  // In a URL these segments lead to another object.
  if (path.some((segment) => ['', '.', '..'].includes(segment)))
    throw usage(source, 'has an empty segment, "." or ".."');
  if (/\.(?:tar|tar\.gz|tgz)$/.test(source)) throw usage(source, 'names an archive; name a prefix for files');
  return { bucket, prefix: path.map((segment) => `${segment}/`).join('') };
}

function usage(source: string, what: string): OperatorError {
  return new OperatorError('Usage', `${source} ${what}`);
}
