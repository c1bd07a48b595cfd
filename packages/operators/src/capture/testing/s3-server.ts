import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAuthorization, signatureOf } from './s3-signature.ts';

/** What a server of the S3 protocol holds. */
export type S3Server = {
  readonly server: Server;
  readonly url: string;
  /** By `/bucket/key`, percent-encoded as requested. */
  readonly objects: Map<string, Buffer>;
  /** Method and path of each request that arrived. */
  readonly requests: string[];
  /** Responses to give before any other, for faults. */
  readonly next: Fault[];
  /** Whether it creates an object only once where that is asked for, and checks what it gets. */
  readonly honours: { conditions: boolean; checksums: boolean };
};

type Fault =
  | { readonly status: number; readonly code: string; readonly message?: string }
  /** The whole body of a response. */
  | { readonly body: string }
  | 'reset'
  | 'silent'
  /** A response whose body never ends: it is silent, or sends on. */
  | 'unfinished'
  | 'endless'
  /** It stores another body than was sent. */
  | 'damage';

export const S3_ENV = { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'a/secret+key' };
export const BUCKET = 'backups';
const PAGE = 2;

type Reply = {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};
type State = Pick<S3Server, 'objects' | 'honours'>;

/** One bucket, addressed by path, whose pages are short. Requests must be signed with AWS Signature Version 4. */
export async function startS3Server(
  create: (listener: RequestListener) => Server = createServer,
): Promise<S3Server> {
  const state = {
    objects: new Map<string, Buffer>(),
    requests: [] as string[],
    next: [] as Fault[],
    honours: { conditions: true, checksums: true },
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    state.requests.push(`${request.method} ${request.url}`);
    const fault = state.next.shift();
    if (fault !== undefined && misbehave(response, fault)) return;
    const sent = fault === 'damage' ? Buffer.concat([body.subarray(1), Buffer.from('!')]) : body;
    const { status, body: said, headers = {} } = reply(state, request, sent);
    response.writeHead(status, headers).end(said);
  };
  const server = create((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...state };
}

/** Whether that is the whole response. */
function misbehave(response: ServerResponse, fault: Fault): boolean {
  if (fault === 'damage') return false;
  if (typeof fault === 'object') {
    const { status, body } = 'body' in fault ? { status: 200, body: fault.body } : failure(fault);
    response.writeHead(status).end(body);
  } else if (fault === 'reset') response.socket?.resetAndDestroy();
  else if (fault === 'unfinished') response.writeHead(200, { 'content-length': 10 }).write('a');
  else if (fault === 'endless') drip(response.writeHead(200));
  return true;
}

function drip(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write(' ', () => setImmediate(drip, response));
}

function reply(state: State, request: IncomingMessage, body: Buffer): Reply {
  const { objects } = state;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
  const denial = authenticate(request);
  if (denial !== undefined) return failure({ status: 403, code: denial });
  if (pathname.split('/')[1] !== BUCKET) return failure({ status: 404, code: 'NoSuchBucket' });
  if (request.method === 'PUT') return store(state, request, pathname, body);
  if (request.method === 'DELETE') {
    objects.delete(pathname);
    return { status: 204 };
  }
  if (pathname === `/${BUCKET}`) return { status: 200, body: listing(objects, searchParams) };
  const found = objects.get(pathname);
  return found === undefined ? failure({ status: 404, code: 'NoSuchKey' }) : { status: 200, body: found };
}

/** As a bucket with Object Lock, it wants a checksum. */
function store({ objects, honours }: State, { headers }: IncomingMessage, path: string, body: Buffer): Reply {
  const digest = (name: string): string => createHash(name).update(body).digest('base64');
  if (honours.checksums) {
    if (headers['content-md5'] !== digest('md5')) return failure({ status: 400, code: 'BadDigest' });
    if (headers['x-amz-checksum-sha256'] !== digest('sha256'))
      return failure({ status: 400, code: 'BadDigest' });
  }
  const isTaken = objects.has(path) && headers['if-none-match'] === '*';
  if (isTaken && honours.conditions) return failure({ status: 412, code: 'PreconditionFailed' });
  objects.set(path, body);
  return { status: 200, headers: { etag: `"${createHash('md5').update(body).digest('hex')}"` } };
}

function authenticate(request: IncomingMessage): string | undefined {
  const { headers, method = '', url = '' } = request;
  const claim = parseAuthorization(headers.authorization ?? '');
  if (claim.id !== S3_ENV.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  const signature = signatureOf({ method, url, headers }, claim, S3_ENV.AWS_SECRET_ACCESS_KEY);
  return signature === claim.signature ? undefined : 'SignatureDoesNotMatch';
}

function listing(objects: Map<string, Buffer>, query: URLSearchParams): string {
  const keys = [...objects.keys()]
    .map((path) => decodeURIComponent(path).slice(BUCKET.length + 2))
    .toSorted();
  const all = keys.filter((key) => key.startsWith(query.get('prefix') ?? ''));
  const from = Number(query.get('continuation-token') ?? 0);
  const page = all.slice(from, from + PAGE).map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`);
  const next =
    from + PAGE < all.length ? `<NextContinuationToken>${from + PAGE}</NextContinuationToken>` : '';
  return `<ListBucketResult>${page.join('')}${next}</ListBucketResult>`;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

function failure({ status, code, message = '' }: { status: number; code: string; message?: string }): Reply {
  return {
    status,
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`,
  };
}
