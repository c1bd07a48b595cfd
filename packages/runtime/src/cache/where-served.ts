import { type Clock, isNotFound, sleep } from '@kubewright/client';
import type { KubeObject, Status } from '@kubewright/kube';
import type { ListWatch } from './run-reflector.ts';

/** How often a kind that is not served is looked for, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;
/** Older than any version that a server gives. */
const VERSION = '0';
const EMPTY = { apiVersion: 'v1', kind: 'Bookmark' };

/** The list begins anew: the last one only found out that the kind is served. */
const EXPIRED: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'the kind is served now',
};

/**
 * The same list and watch, where a kind that the server does not serve (404) has no objects. It is looked for again until
 * somebody installs its definition, and then listed.
 */
export function whereServed<T extends KubeObject>(source: ListWatch<T>, clock: Clock): ListWatch<T> {
  let isServed = true;
  const list: ListWatch<T>['list'] = async (page, signal) => {
    try {
      const listed = await source.list(page, signal);
      isServed = true;
      return listed;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      isServed = false;
      return { items: [], resourceVersion: VERSION };
    }
  };
  const looksAgain = async (signal: AbortSignal): Promise<boolean> => {
    await sleep(clock, LOOK_AGAIN_MS, signal);
    await list(undefined, signal);
    return isServed;
  };
  return {
    list,
    isServed: () => isServed,
    async *watch(resourceVersion, timeoutSeconds, signal, onOpen) {
      if (isServed) return yield* source.watch(resourceVersion, timeoutSeconds, signal, onOpen);
      onOpen();
      while (!(await looksAgain(signal)))
        yield { type: 'BOOKMARK', object: { ...EMPTY, metadata: { resourceVersion: VERSION } } };
      yield { type: 'ERROR', status: EXPIRED };
    },
  };
}
