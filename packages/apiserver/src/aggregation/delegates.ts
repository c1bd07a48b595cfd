import type { JsonObject } from '@kubewright/kube';
import type { Store } from '../storage/store.ts';
import { type Delegate, delegateOf, GROUP, RESOURCE } from './delegate.ts';

/** A version of a group that an extension server serves. */
export type RemoteVersion = {
  readonly group: string;
  readonly version: string;
  /** `groupPriorityMinimum`. */
  readonly priority: number;
  /** As aggregated discovery shows it. */
  readonly discovery: JsonObject;
};

/** The extension servers of the APIServices in the store. */
export type Delegates = {
  /** Changes with what {@link versions} returns. */
  readonly revision: number;
  /** `name` is that of the APIService. */
  find(name: string): Delegate | undefined;
  /** In the order of discovery: by priority. */
  versions(): readonly RemoteVersion[];
  /** Sets the discovery of one of them. */
  learn(name: string, discovery: JsonObject): void;
};

export function trackDelegates(store: Store): Delegates {
  const delegates = new Map<string, Delegate>();
  const discoveries = new Map<string, JsonObject>();
  let revision = 0;
  const set = (name: string, delegate: Delegate | undefined): void => {
    if (delegate === undefined && !delegates.delete(name)) return;
    revision += 1;
    if (delegate === undefined) discoveries.delete(name);
    else delegates.set(name, delegate);
  };
  const services = store.collection(GROUP, RESOURCE);
  for (const { object } of services.entries) set(object.metadata.name, delegateOf(object));
  services.subscribe(({ type, object: { object } }) =>
    set(object.metadata.name, type === 'DELETED' ? undefined : delegateOf(object)),
  );
  return {
    get revision() {
      return revision;
    },
    find: (name) => delegates.get(name),
    versions: () =>
      [...delegates.values()]
        .sort((a, b) => b.priority - a.priority)
        .map((delegate) => remoteVersion(delegate, discoveries.get(delegate.name))),
    learn(name, discovery) {
      discoveries.set(name, discovery);
      revision += 1;
    },
  };
}

function remoteVersion(
  { group, version, priority, available }: Delegate,
  discovery: JsonObject = { version, resources: [] },
): RemoteVersion {
  const freshness = available ? 'Current' : 'Stale';
  return { group, version, priority, discovery: { ...discovery, freshness } };
}
