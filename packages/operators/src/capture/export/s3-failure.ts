import { type OperatorErrorCode, OperatorError } from '../../operator-error.ts';
import type { S3Response } from './s3-response.ts';
import { textOf } from './xml-texts.ts';

/** Many times what a server says about an error. */
const LONGEST = 65_536;
/** What is printed of it. */
const LONGEST_MESSAGE = 300;

const SIGNATURE = 'the credentials are wrong; see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
const DENIED =
  'access is denied; exports need the rights to list the bucket, and to get, put and delete its objects';
const REGION =
  'it is in another region; set AWS_REGION, or the endpoint of that region in AWS_ENDPOINT_URL_S3';

/** Codes that have a message of their own. */
const KNOWN: Readonly<Record<string, readonly [code: OperatorErrorCode, message: string]>> = {
  NoSuchBucket: ['NotFound', 'the bucket does not exist; create it, or choose another'],
  NoSuchKey: ['NotFound', 'it does not exist'],
  AccessDenied: ['Forbidden', DENIED],
  InvalidAccessKeyId: ['Forbidden', SIGNATURE],
  SignatureDoesNotMatch: ['Forbidden', SIGNATURE],
  ExpiredToken: ['Forbidden', 'the session has expired; set AWS_SESSION_TOKEN anew'],
  RequestTimeTooSkewed: ['Failed', "this machine's clock is wrong; set it"],
  PermanentRedirect: ['Usage', REGION],
  TemporaryRedirect: ['Usage', REGION],
  AuthorizationHeaderMalformed: ['Usage', REGION],
  BadDigest: ['Failed', 'it was damaged on the way; try again'],
};

/** One line about a response that is an error, with what the server says. `title`: what was asked for. */
export function s3Failure(title: string, response: S3Response): OperatorError {
  const body = response.content.subarray(0, LONGEST).toString();
  const name = textOf(body, 'Code') ?? '';
  const [code, message] = KNOWN[name] ?? byStatus(response.status);
  const said = [`${response.status}${name && ` ${name}`}`, messageIn(body)].filter(Boolean).join(': ');
  return new OperatorError(code, `${title}: ${message} (${said})`);
}

/** A server in between may be anybody's. */
function messageIn(body: string): string {
  const line = (textOf(body, 'Message') ?? '').replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE)}…`;
}

function byStatus(status: number): readonly [OperatorErrorCode, string] {
  if (status === 401 || status === 403) return ['Forbidden', DENIED];
  if (status === 404) return ['NotFound', 'it does not exist'];
  if (status >= 300 && status < 400) return ['Usage', REGION];
  return status >= 500 || status === 429
    ? ['Unavailable', 'the server is overloaded or broken; try again later']
    : ['Failed', 'the server rejects the request'];
}
