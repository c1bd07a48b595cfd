import { gunzipSync, gzipSync } from 'node:zlib';
import { canonicalJson, compareText, type KubeObject } from '@kubewright/kube';
import { MAX_CHUNK_BYTES } from '../api/content-chunk.ts';
import { sha256 } from '../requests/names.ts';

/** The content of one chunk, ready to be stored. */
export type PackedChunk = {
  /** Base64 of {@link PackedChunk.sizeBytes} bytes of gzip. */
  readonly data: string;
  readonly sizeBytes: number;
  readonly objectsCount: number;
  /** Of the gzip: detects corruption of the stored bytes. */
  readonly checksum: string;
  /** Of the JSON: the same for equal content, whichever zlib version wrote the gzip. */
  readonly plainChecksum: string;
};

/** Compressed in one call; more would block the event loop for too long. */
const MAX_PLAIN_BYTES = 4_194_304;
/** The limit of an unpacked chunk: many times the largest object that an API server accepts. */
const MAX_UNPACKED_BYTES = 67_108_864;

/** One object that does not fit into a chunk. */
export type TooLarge = { readonly tooLarge: string };

type Piece = { readonly title: string; readonly json: string };

/**
 * Packs objects into chunks, each a gzip of a compact, canonical JSON array. Objects are sorted, so equal objects give
 * equal plain content. Without objects there is one chunk, of `[]`.
 */
export function packObjects(
  objects: readonly KubeObject[],
  maxBytes: number = MAX_CHUNK_BYTES,
): readonly PackedChunk[] | TooLarge {
  const pieces = objects
    .toSorted(byIdentity)
    .map((object) => ({ title: titleOf(object), json: canonicalJson(object) }));
  const chunks: PackedChunk[] = [];
  for (const group of groups(pieces)) {
    const packed = packGroup(group, maxBytes);
    if ('tooLarge' in packed) return packed;
    chunks.push(...packed);
  }
  return chunks;
}

function byIdentity(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.kind, b.kind) ||
    compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    compareText(a.metadata.name ?? '', b.metadata.name ?? '')
  );
}

/** `Secret shop/token` */
export function titleOf({ kind, metadata: { namespace, name = '' } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** Groups of neighbours that are compressed together; at least one group. */
function groups(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const all: Piece[][] = [[]];
  let size = 0;
  for (const piece of pieces) {
    if (size > 0 && size + piece.json.length > MAX_PLAIN_BYTES) {
      all.push([]);
      size = 0;
    }
    all.at(-1)?.push(piece);
    size += piece.json.length;
  }
  return all;
}

/** Halves a group until each part fits, so that the work is linear in the content. */
function packGroup(pieces: readonly Piece[], maxBytes: number): readonly PackedChunk[] | TooLarge {
  const plain = Buffer.from(`[${pieces.map(({ json }) => json).join(',')}]`);
  const gzip = gzipSync(plain);
  if (gzip.length <= maxBytes) return [chunkOf(plain, gzip, pieces.length)];
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined)
    // A smaller maximum than the API server's is a wish.
    return gzip.length <= MAX_CHUNK_BYTES ? [chunkOf(plain, gzip, 1)] : { tooLarge: only.title };
  const middle = Math.ceil(pieces.length / 2);
  const first = packGroup(pieces.slice(0, middle), maxBytes);
  if ('tooLarge' in first) return first;
  const second = packGroup(pieces.slice(middle), maxBytes);
  return 'tooLarge' in second ? second : [...first, ...second];
}

function chunkOf(plain: Buffer, gzip: Buffer, objectsCount: number): PackedChunk {
  return {
    data: gzip.toString('base64'),
    sizeBytes: gzip.length,
    objectsCount,
    checksum: sha256(gzip),
    plainChecksum: sha256(plain),
  };
}

/** What a chunk's `data` holds, or what is wrong with it. */
export type Unpacked =
  | {
      readonly plain: Buffer;
      readonly sizeBytes: number;
      readonly checksum: string;
      readonly plainChecksum: string;
    }
  | { readonly fault: string };

/** Decodes a chunk's `data`, which may be anything, into bounded memory. */
export function unpack(data: string): Unpacked {
  const gzip = Buffer.from(data, 'base64');
  try {
    const plain = gunzipSync(gzip, { maxOutputLength: MAX_UNPACKED_BYTES });
    return { plain, sizeBytes: gzip.length, checksum: sha256(gzip), plainChecksum: sha256(plain) };
  } catch {
    return { fault: 'its data is not a gzip, or unpacks to too much' };
  }
}
