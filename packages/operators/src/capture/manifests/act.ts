import { ignoreNotFound } from '@kubewright/client';
import { type ActOutcome, type Io, updateStatus } from '@kubewright/runtime';
import { CONTENT_CHUNKS, type ContentChunk } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import type { CaptureAction } from './decide.ts';

type CreateChunk = Extract<CaptureAction, { readonly type: 'createChunk' }>;

/** Called with a chunk as the server has stored it. */
type OnChunk = (action: CreateChunk, stored: ContentChunk) => void;

/** Makes one write. An object that already exists is a conflict, and everything is observed again. */
export async function act(action: CaptureAction, io: Io, onChunk: OnChunk): Promise<ActOutcome> {
  const { client } = io;
  switch (action.type) {
    case 'createKeeper':
      await client.create(OBJECT_KEEPERS, action.keeper);
      break;
    case 'createCheckpoint':
      await client.create(MANIFEST_CHECKPOINTS, action.checkpoint);
      break;
    case 'createChunk':
      onChunk(action, await client.create(CONTENT_CHUNKS, action.chunk));
      break;
    case 'reportCheckpoint':
      // With the observed resourceVersion: a final status is never overwritten.
      await ignoreNotFound(updateStatus(io, MANIFEST_CHECKPOINTS, action.checkpoint, action.status));
      break;
  }
  return 'done';
}
