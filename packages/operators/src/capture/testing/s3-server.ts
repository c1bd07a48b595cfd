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
  readonly next: { readonly status: number; readonly code: string }[];
};

export const S3_ENV = { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'a/secret+key' };
export const BUCKET = 'backups';
const PAGE = 2;

type Reply = { readonly status: number; readonly body?: string | Buffer };

/** One bucket, addressed by path, whose pages are short. Requests must be signed with AWS Signature Version 4. */
export async function startS3Server(
  create: (listener: RequestListener) => Server = createServer,
): Promise<S3Server> {
  const state = {
    objects: new Map<string, Buffer>(),
    requests: [] as string[],
    next: [] as S3Server['next'],
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    state.requests.push(`${request.method} ${request.url}`);
    const fault = state.next.shift();
    const { status, body: said } =
      fault === undefined ? reply(state.objects, request, body) : failure(fault.status, fault.code);
    response.writeHead(status).end(said);
  };
  const server = create((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...state };
}

function reply(objects: Map<string, Buffer>, request: IncomingMessage, body: Buffer): Reply {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
  const denial = authenticate(request, body);
  if (denial !== undefined) return failure(403, denial);
  if (pathname.split('/')[1] !== BUCKET) return failure(404, 'NoSuchBucket');
  if (request.method === 'PUT') {
    objects.set(pathname, body);
    return { status: 200 };
  }
  if (pathname === `/${BUCKET}`) return { status: 200, body: listing(objects, searchParams) };
  const found = objects.get(pathname);
  return found === undefined ? failure(404, 'NoSuchKey') : { status: 200, body: found };
}

function authenticate(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers, method = '', url = '' } = request;
  const claim = parseAuthorization(headers.authorization ?? '');
  if (claim.id !== S3_ENV.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  const signature = signatureOf({ method, url, headers }, claim, S3_ENV.AWS_SECRET_ACCESS_KEY);
  if (signature !== claim.signature) return 'SignatureDoesNotMatch';
  const sha256 = createHash('sha256').update(body).digest('hex');
  return sha256 === headers['x-amz-content-sha256'] ? undefined : 'XAmzContentSHA256Mismatch';
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

const failure = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
});
