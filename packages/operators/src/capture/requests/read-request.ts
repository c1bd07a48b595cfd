import type { Ref } from '@kubewright/client';
import type { Condition, KubeObject, Stored } from '@kubewright/kube';
import type { Io, Request } from '@kubewright/runtime';
import { isFinished } from './finish.ts';
import { foundIn, readLive } from './read-live.ts';

type RequestObject = KubeObject & {
  readonly status?: { readonly completionTimestamp?: string; readonly conditions?: readonly Condition[] };
};

/** The request, read from the server because a cache may be stale; undefined when nothing is left to do for it. */
export async function readRequest<T extends RequestObject>(
  ref: Ref<T>,
  key: Request,
  io: Io,
): Promise<Stored<T> | undefined> {
  const cached = io.cache.get(ref, key);
  if (cached === undefined || isOver(cached)) return undefined;
  const live = foundIn(await readLive(io, ref, key));
  return live === undefined || isOver(live) ? undefined : live;
}

function isOver({ metadata, status = {} }: RequestObject): boolean {
  return isFinished(status) || metadata.deletionTimestamp !== undefined;
}
