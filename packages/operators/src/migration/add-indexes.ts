import type { KubeObject } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { LABELS, STATEFUL_MIGRATIONS } from './api.ts';

/** Migrations by the pod that they move, see {@link podKey}. */
export const BY_POD = 'pod';
/** Migrations by the UID of the ReplicaSet whose pod they move. */
export const BY_REPLICA_SET = 'replicaSet';
const BY_UID = 'uid';

export function addIndexes(cache: Cache): void {
  cache.addIndex(STATEFUL_MIGRATIONS, BY_POD, ({ metadata, spec }) => [
    podKey(metadata.namespace, spec.sourcePod),
  ]);
  cache.addIndex(STATEFUL_MIGRATIONS, BY_REPLICA_SET, ({ status }) =>
    status?.replicaSetUID === undefined ? [] : [status.replicaSetUID],
  );
  cache.addIndex(STATEFUL_MIGRATIONS, BY_UID, ({ metadata }) => [metadata.uid ?? '']);
}

export function podKey(namespace = '', name: string): string {
  return `${namespace}/${name}`;
}

/** The migration that a pod's label names. */
export function migrationsOf({ metadata: { labels } }: KubeObject, cache: Cache): readonly Request[] {
  const uid = labels?.[LABELS.migration];
  if (uid === undefined) return [];
  return cache.byIndex(STATEFUL_MIGRATIONS, BY_UID, uid).map(({ metadata }) => requestFor(metadata));
}

function requestFor({ namespace, name }: { readonly namespace?: string; readonly name: string }): Request {
  return namespace === undefined ? { name } : { namespace, name };
}
