import { ignoreNotFound } from '@kubewright/client';
import { type ActOutcome, type Io, updateStatus } from '@kubewright/runtime';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import type { CaptureAction } from './decide.ts';

/** Carries one action out: one write. What exists already is a conflict, and is looked at again. */
export async function act(action: CaptureAction, io: Io): Promise<ActOutcome> {
  const { client } = io;
  switch (action.type) {
    case 'createKeeper':
      await client.create(OBJECT_KEEPERS, action.keeper);
      break;
    case 'createCheckpoint':
      await client.create(MANIFEST_CHECKPOINTS, action.checkpoint);
      break;
    case 'createChunk':
      await client.create(CONTENT_CHUNKS, action.chunk);
      break;
    case 'reportCheckpoint':
      // Over the version that was observed: who has finished it since is not written over.
      await ignoreNotFound(updateStatus(io, MANIFEST_CHECKPOINTS, action.checkpoint, action.status));
      break;
  }
  return 'done';
}
