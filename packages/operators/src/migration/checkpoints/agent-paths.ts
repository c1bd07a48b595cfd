// The HTTP API of a node agent, as both ends name it.

/** `PUT` with an order begins a checkpoint, `GET` has its state, `DELETE` removes the archive. */
export const checkpointPath = (id: string): string => `/v1/checkpoints/${encodeURIComponent(id)}`;
/** `PUT` with an archive makes an image on this node, `DELETE` removes it. */
export const imagePath = (image: string): string => `/v1/images/${encodeURIComponent(image)}`;
/** `GET`: the facts of the node. */
export const factsPath = (image?: string): string =>
  image === undefined ? FACTS : `${FACTS}?image=${encodeURIComponent(image)}`;
const FACTS = '/v1/facts';

/** With an archive: its SHA-256, in hexadecimal digits. */
export const DIGEST_HEADER = 'x-ms2m-sha256';

const FACTS_PATH = /\/v1\/facts(?:\?image=([^&]*))?$/;
const PATH = /\/v1\/(checkpoints|images)\/([^/?]+)$/;

/** What a path names; undefined for any other path. */
export function namedBy(
  path: string,
): { readonly kind: 'checkpoints' | 'images'; readonly name: string } | undefined {
  const [, kind, name = ''] = PATH.exec(path) ?? [];
  if (kind !== 'checkpoints' && kind !== 'images') return undefined;
  try {
    return { kind, name: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

/** The image in a path of facts, empty where none is named; undefined for any other path. */
export function imageInFacts(path: string): string | undefined {
  const found = FACTS_PATH.exec(path);
  try {
    return found === null ? undefined : decodeURIComponent(found[1] ?? '');
  } catch {
    return undefined;
  }
}
