import { canonicalJson, sha256 } from './canonical-json.ts';
import { MigratableError } from './migratable-error.ts';
import type { Missing } from './applied-messages.ts';
import type { Messages } from './messages.ts';
import type { Fence, SnapshotFacts, Watermarks } from './protocol.ts';
import { watermarksOf } from './protocol-messages.ts';
import { type Waiting, whileForbidden } from './while-away.ts';

/** What moves: the application's own state, how far it is, and which commands it has seen. */
export type Captured = {
  readonly state: unknown;
  readonly watermarks: Watermarks;
  /** Left out where nothing is missing. */
  readonly missing?: Missing;
  readonly handled: readonly Fence[];
  /** See `Report`. */
  readonly lost?: string;
};

const CHUNK_BYTES = 128 * 1024;
/** As much as is held in memory twice while it moves. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Of the state and how far it is: equal on source and target, or something went wrong. */
export function digestOf({ state, watermarks, missing }: Captured): string {
  return sha256(canonicalJson({ state, watermarks, ...(missing && { missing }) }));
}

/** Resolves when the broker has confirmed every chunk. One that is forbidden is waited for, for a while, see `whileForbidden`. */
export async function writeSnapshot(
  messages: Messages,
  queue: string,
  captured: Captured,
  waiting: Waiting,
): Promise<SnapshotFacts> {
  const content = Buffer.from(canonicalJson(captured));
  if (content.length > MOST_BYTES)
    throw new MigratableError('Rejected', `the state has ${content.length} bytes: at most ${MOST_BYTES}`);
  const chunks = Math.ceil(content.length / CHUNK_BYTES);
  for (let index = 0; index < chunks; index++) {
    const body = content.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    const send = () => messages.send(queue, { headers: { chunk: index }, body });
    if ((await whileForbidden(send, waiting)) === 'unroutable')
      throw new MigratableError('NotFound', `there is no queue ${queue}`);
  }
  return { queue, chunks, bytes: content.length, sha256: sha256(content) };
}

/** What `facts` describes stays in its queue, for another process; throws `Malformed` for anything else. */
export async function readSnapshot(
  messages: Messages,
  facts: SnapshotFacts,
  waiting: Waiting,
): Promise<Captured> {
  if (facts.bytes > MOST_BYTES || facts.chunks !== Math.ceil(facts.bytes / CHUNK_BYTES))
    throw new MigratableError('Malformed', `no snapshot has ${facts.bytes} bytes in ${facts.chunks} chunks`);
  const content = Buffer.concat(await readChunks(messages, facts, waiting));
  if (content.length !== facts.bytes || sha256(content) !== facts.sha256)
    throw new MigratableError('Malformed', `the snapshot in ${facts.queue} is not the one that was written`);
  return capturedOf(JSON.parse(content.toString()));
}

/** A chunk may be there more than once: its confirm was lost, and it was sent again. So many copies more are looked at. */
const MOST_COPIES = 64;
/** After so long a chunk that has not come is missing. */
const READ_MS = 300_000;

/**
 * In their order, each once, however often they come: after a lost connection some come again. None is acknowledged, so all go
 * back: this process may be lost, too, and the queue may have the only copy. What is no chunk of it is left out. Throws
 * `Malformed` where one does not come.
 */
async function readChunks(
  messages: Messages,
  { queue, chunks }: SnapshotFacts,
  { timer, signal }: Waiting,
): Promise<readonly Uint8Array[]> {
  const found = new Map<number, Uint8Array>();
  if (chunks === 0) return [];
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const end = (): void => over.abort();
  timer(READ_MS, stop).then(end, end);
  for await (const { message } of messages.consume(queue, { prefetch: chunks + MOST_COPIES, signal: stop })) {
    const { body, headers: { chunk: index } = {} } = message;
    if (isIndex(index, chunks) && body instanceof Uint8Array && body.length <= CHUNK_BYTES)
      found.set(index, body);
    if (found.size === chunks) break;
  }
  over.abort();
  return Array.from({ length: chunks }, (_, index) => {
    const chunk = found.get(index);
    if (chunk === undefined)
      throw new MigratableError('Malformed', `chunk ${index} of ${chunks} is not in ${queue}`);
    return chunk;
  });
}

const isIndex = (index: unknown, chunks: number): index is number =>
  Number.isInteger(index) && Number(index) >= 0 && Number(index) < chunks;

/** Of what passed the check of its digest: it is what a process of this library wrote, perhaps of another version. */
export function capturedOf(value: unknown): Captured {
  const { state, watermarks, missing, handled, lost } = (value ?? {}) as Partial<Captured>;
  if (!Array.isArray(handled)) throw new MigratableError('Malformed', 'this is no snapshot');
  return {
    state,
    watermarks: watermarksOf(watermarks),
    ...(missing && { missing }),
    handled,
    ...(typeof lost === 'string' && { lost }),
  };
}
