import type { Client, Ref } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { readAhead } from './read-ahead.ts';
import type { ListWatch } from './run-reflector.ts';
import type { Selection } from './selection.ts';

const DEFAULT_PAGE_SIZE = 500;

export type ListWatchSettings = Selection & { readonly pageSize?: number };

/**
 * Lists and watches through a client. The first list names no resourceVersion, so it is a consistent read: a restarted
 * controller never acts on a state older than one it has already seen.
 */
export function clientListWatch<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  settings: ListWatchSettings,
): ListWatch<T> {
  const { pageSize = DEFAULT_PAGE_SIZE, namespace, labelSelector, fieldSelector } = settings;
  const scope = { namespace, labelSelector, fieldSelector };
  return {
    list: readAhead((page, signal, onContinue) =>
      client.list(ref, { ...scope, limit: pageSize, continue: page, signal, onContinue }),
    ),
    watch: (resourceVersion, timeoutSeconds, signal, onOpen) =>
      client.watch(ref, {
        ...scope,
        resourceVersion,
        timeoutSeconds,
        allowWatchBookmarks: true,
        signal,
        onOpen,
      }),
  };
}
