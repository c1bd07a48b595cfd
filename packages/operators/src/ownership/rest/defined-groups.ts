import type { Clock } from '@kubewright/client';
import { apiextensionsv1, type KubeObject } from '@kubewright/kube';
import { type Cache, type CacheEvent, type Informer, partOf } from '@kubewright/runtime';
import { isReliable } from './is-reliable.ts';

/** The groups of API servers themselves: the schemas of their kinds change only with the server. */
const BUILT_IN: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);
/** Servers of a cluster use a changed definition so long after it is stored at the latest. */
const IN_USE_MS = 30_000;

/** A definition may change what an apply makes of a manifest, and changes no object. */
export type DefinedGroups = {
  /** Whether the schemas of a group are known to be those that they were, unless a change was reported. */
  readonly isDefined: (group: string) => boolean;
  /** The same, and all servers use them by now. Has the definitions watched from the first call for a group of them. */
  readonly isSettled: (group: string) => boolean;
};

function keepGeneration<T extends KubeObject>({ apiVersion, kind, metadata }: T): T {
  const { name, uid, resourceVersion, generation } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, generation } } as T;
}

/** Definitions can be large. */
const PAGE = 20;

const DEFINITIONS = partOf(apiextensionsv1.customresourcedefinitions, 'groups', {
  transform: keepGeneration,
  isOnDemand: true,
  pageSize: PAGE,
});

export function createDefinedGroups(
  cache: Cache,
  clock: Clock,
  onChange: (group: string) => void,
): DefinedGroups {
  const definitions = new Map<string, number>();
  const changedAt = new Map<string, number>();
  let informer: Informer | undefined;
  const onEvent = (event: CacheEvent): void => {
    const group = groupOf(event.object);
    const by = event.type === 'Create' ? 1 : event.type === 'Delete' ? -1 : 0;
    definitions.set(group, (definitions.get(group) ?? 0) + by);
    if (!isChange(event)) return;
    changedAt.set(group, clock.monotonic());
    onChange(group);
  };
  const isDefined = (group: string): boolean =>
    BUILT_IN.has(group) ||
    (informer !== undefined && isReliable(informer) && (definitions.get(group) ?? 0) > 0);
  return {
    isDefined,
    isSettled(group) {
      if (!BUILT_IN.has(group) && informer === undefined) {
        informer = cache.informer<KubeObject>(DEFINITIONS);
        informer.addHandler(onEvent);
      }
      const at = changedAt.get(group);
      return isDefined(group) && (at === undefined || clock.monotonic() - at > IN_USE_MS);
    },
  };
}

/** `shop.example.com` of `widgets.shop.example.com`. */
function groupOf({ metadata: { name = '' } }: KubeObject): string {
  return name.slice(name.indexOf('.') + 1);
}

/** The status of a definition says nothing of its schemas. */
function isChange(event: CacheEvent): boolean {
  if (event.type === 'Create') return !event.initial;
  return event.type === 'Delete' || event.old.metadata.generation !== event.object.metadata.generation;
}
