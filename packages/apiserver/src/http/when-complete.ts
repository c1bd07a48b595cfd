import type { Reply } from '../request/reply.ts';
import { isStream } from './serve.ts';

/** Calls back when a response is complete: now, or when its stream ends. */
export function whenComplete(reply: Reply, done: () => void): Reply {
  const { body } = reply;
  if (isStream(body)) return { ...reply, body: followed(body, done) };
  done();
  return reply;
}

async function* followed(
  body: AsyncIterableIterator<Uint8Array>,
  done: () => void,
): AsyncIterableIterator<Uint8Array> {
  try {
    yield* body;
  } finally {
    done();
  }
}
