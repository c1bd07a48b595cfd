import { type Reply, withHeaders } from '../request/reply.ts';

/** What a client says that it has, or wants: `If-None-Match`, and `hash` of the URL of a document. */
export type Conditions = { readonly ifNoneMatch: string | undefined; readonly hash: string | null };

/** Names the document of a reply, so that a client need not read it again. */
export function withEtag(reply: Reply, hash: string): Reply {
  return withHeaders(reply, { etag: `"${hash}"`, vary: 'Accept' });
}

/** Leaves out what the client has (304), and sends one that wants another version to the present one (301). */
export function ifChanged(reply: Reply, path: string, { ifNoneMatch = '', hash }: Conditions): Reply {
  const { etag } = reply.headers;
  if (typeof etag !== 'string') return reply;
  const wanted = hash === null || hash === '' ? undefined : `"${hash}"`;
  if (wanted !== undefined && wanted !== etag) {
    const location = `${path}?hash=${etag.slice(1, -1)}`;
    return withHeaders({ ...reply, status: 301, body: [] }, { location });
  }
  const had = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (had.includes(etag) || had.includes('*')) return { ...reply, status: 304, body: [] };
  return wanted === undefined ? reply : withHeaders(reply, { 'cache-control': 'public, immutable' });
}
