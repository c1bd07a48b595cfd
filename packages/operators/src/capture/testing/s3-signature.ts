import { createHash, createHmac } from 'node:crypto';

type Signed = {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** What an `Authorization` header of AWS Signature Version 4 says. */
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<scope>[^,]+), ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/;

export function parseAuthorization(header: string) {
  const { id = '', scope = '', names = '', signature = '' } = AUTHORIZATION.exec(header)?.groups ?? {};
  return { id, scope, names: names.split(';'), signature };
}

/**
 * The signature that a request must have, after the manual "Signature Calculations for the Authorization Header". Of path
 * and query as they arrived: servers that encode them anew accept whatever this accepts.
 */
export function signatureOf(
  { method, url, headers }: Signed,
  { scope, names }: { readonly scope: string; readonly names: readonly string[] },
  secret: string,
): string {
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    String(headers['x-amz-date']),
    scope,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (from, part) => createHmac('sha256', from).update(part).digest(),
      `AWS4${secret}`,
    );
  return createHmac('sha256', key).update(toSign).digest('hex');
}
