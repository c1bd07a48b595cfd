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
const WRITE_S3 = 'write s3://BUCKET/PREFIX';

/** Throws for a URL of another kind: as a path, it would be a folder with Secrets where nobody looks for them. */
export function isS3(source: string): boolean {
  if (source.startsWith(SCHEME)) return true;
  // A drive of Windows has one letter; a folder may be called after a time.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\//i.exec(source) ?? /^(s3):/i.exec(source) ?? [];
  if (scheme !== undefined) throw usage(source, `is no path; ${nextStep(scheme.toLowerCase())}`);
  return false;
}

function nextStep(scheme: string): string {
  if (scheme === 's3') return WRITE_S3;
  if (scheme === 'file') return 'write the path alone';
  if (scheme === 'gs')
    return `${WRITE_S3}, and set AWS_ENDPOINT_URL_S3=https://storage.googleapis.com and an HMAC key`;
  if (scheme === 'http' || scheme === 'https') return `${WRITE_S3}, and the server in AWS_ENDPOINT_URL_S3`;
  return `${WRITE_S3} for a store that speaks S3, or ./${scheme}:/… for a folder of that name`;
}

/** `s3://BUCKET/PREFIX`. */
export function s3Place(source: string): S3Place {
  const [bucket = '', ...path] = source.slice(SCHEME.length).split('/');
  if (path.at(-1) === '') path.pop();
  if (!BUCKET.test(bucket)) throw usage(source, `has no valid name of a bucket; ${WRITE_S3}`);
  // In a URL these segments lead to another object.
  if (path.some((segment) => ['', '.', '..'].includes(segment)))
    throw usage(source, 'has an empty segment, "." or ".."');
  if (source.includes('\\')) throw usage(source, 'has a backslash, which some stores take for a slash');
  if (/\.(?:tar|tar\.gz|tgz)$/.test(source)) throw usage(source, 'names an archive; name a prefix for files');
  return { bucket, prefix: path.map((segment) => `${segment}/`).join('') };
}

function usage(source: string, what: string): OperatorError {
  return new OperatorError('Usage', `${source} ${what}`);
}
