import { promisify } from 'node:util';
import { gunzipSync, gzip as startGzip, gzipSync } from 'node:zlib';
import { canonicalJson, compareText, type KubeObject } from '@kubewright/kube';
import { MAX_CHUNK_BYTES } from '../api/content-chunk.ts';
import { OperatorError } from '../../operator-error.ts';
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

const gzipInThread = promisify(startGzip);

/** Compressed in one call; more would have to be held. */
const MAX_PLAIN_BYTES = 4_194_304;
/** Base64 of noise still fits, so less needs no split. */
const MIN_PLAIN_BYTES = 524_288;
/** Manifests are hardly smaller at the default level, and take up to twice the time. */
const GZIP = { level: 3 };
/** The limit of an unpacked chunk: many times the largest object that an API server accepts. */
const MAX_UNPACKED_BYTES = 67_108_864;

type Piece = { readonly title: string; readonly json: string };

/**
 * Packs objects that come one after another into chunks, in their order: each chunk is a gzip of a compact, canonical JSON
 * array, whose content follows from the objects alone. Without objects there is one chunk, of `[]`. While one group of objects
 * is compressed, the next one is read: no more than these two are held. Ends with an `OperatorError` for an object that
 * does not fit into a chunk.
 */
export async function* packObjects(
  objects: AsyncIterable<KubeObject> | Iterable<KubeObject>,
  maxBytes: number = MAX_CHUNK_BYTES,
): AsyncGenerator<PackedChunk, void> {
  let limit = MAX_PLAIN_BYTES;
  let packing: { readonly chunks: Promise<readonly PackedChunk[]>; readonly limit: number } | undefined;
  for await (const group of groupsOf(objects, () => limit)) {
    const packed = await packing?.chunks;
    if (packing !== undefined && packed !== undefined) limit = nextLimit(packing.limit, packed, maxBytes);
    packing = { chunks: packGroup(group.pieces, maxBytes), limit: group.limit };
    // It is awaited later, or never when the objects end with an error.
    packing.chunks.catch(() => undefined);
    if (packed !== undefined) yield* packed;
  }
  yield* (await packing?.chunks) ?? (await packGroup([], maxBytes));
}

type Group = { readonly pieces: readonly Piece[]; readonly limit: number };

/** What is compressed together: as much as fitted into one chunk before. */
async function* groupsOf(
  objects: AsyncIterable<KubeObject> | Iterable<KubeObject>,
  limitNow: () => number,
): AsyncGenerator<Group, void> {
  let [limit, size] = [limitNow(), 0];
  let pieces: Piece[] = [];
  for await (const object of objects) {
    const piece = { title: titleOf(object), json: canonicalJson(object) };
    if (size > 0 && size + piece.json.length > limit) {
      yield { pieces, limit };
      [pieces, size, limit] = [[], 0, limitNow()];
    }
    pieces.push(piece);
    size += piece.json.length;
  }
  if (pieces.length > 0) yield { pieces, limit };
}

/** A part of what had to be split, so that little is compressed twice; twice what has used less than half of its chunk. */
function nextLimit(limit: number, packed: readonly PackedChunk[], maxBytes: number): number {
  const [first] = packed;
  if (packed.length > 1) return Math.max(limit / packed.length, MIN_PLAIN_BYTES);
  const isSmall = first !== undefined && first.sizeBytes < maxBytes / 2;
  return isSmall ? Math.min(limit * 2, MAX_PLAIN_BYTES) : limit;
}

/** The order of captured objects. */
export function byIdentity(a: KubeObject, b: KubeObject): number {
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

/** Divides a group into as many parts as its size says, until each fits, so that the work is linear in the content. */
async function packGroup(pieces: readonly Piece[], maxBytes: number): Promise<readonly PackedChunk[]> {
  const plain = Buffer.from(`[${pieces.map(({ json }) => json).join(',')}]`);
  const gzip = await compressed(plain);
  const [only] = pieces;
  // A smaller maximum than the API server's is a wish.
  const max = pieces.length === 1 ? MAX_CHUNK_BYTES : maxBytes;
  if (gzip.length <= max) return [chunkOf(plain, gzip, pieces.length)];
  if (pieces.length === 1 && only !== undefined) {
    const message = `${only.title} is too large: compressed, it does not fit into one chunk`;
    throw new OperatorError('Failed', message);
  }
  const chunks: PackedChunk[] = [];
  for (const part of divided(pieces, plain.length / Math.ceil(gzip.length / max)))
    chunks.push(...(await packGroup(part, maxBytes)));
  return chunks;
}

/** On a thread of its own where it takes long: meanwhile other objects are read, and others are served. */
async function compressed(plain: Buffer): Promise<Buffer> {
  return plain.length < MIN_PLAIN_BYTES ? gzipSync(plain, GZIP) : gzipInThread(plain, GZIP);
}

/** At least two parts, each of about that many bytes, or of one piece. */
function divided(pieces: readonly Piece[], bytes: number): readonly (readonly Piece[])[] {
  const parts: Piece[][] = [];
  let size = 0;
  for (const [index, piece] of pieces.entries()) {
    const { length } = piece.json;
    const isLast = parts.length === 1 && index === pieces.length - 1;
    const part = parts.at(-1);
    if (part === undefined || isLast || size + length > bytes) {
      parts.push([piece]);
      size = length;
    } else {
      part.push(piece);
      size += length;
    }
  }
  return parts;
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
