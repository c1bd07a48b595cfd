import type { Collection } from '../../storage/collection.ts';
import type { StoreEvent } from '../../storage/store-event.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { type Binding, bindingOf, subjectKeys } from './binding.ts';

/** Bindings by namespace and subject; follows the store write by write. */
export type BindingIndex = {
  /** Each binding of the namespace (empty: of the cluster) that names the user or one of their groups, once. */
  readonly of: (user: UserInfo, namespace: string) => readonly Binding[];
};

type BySubject = Map<string, Set<Binding>>;

export function bindingIndex(collections: readonly Collection[]): BindingIndex {
  const byNamespace = new Map<string, BySubject>();
  for (const collection of collections) {
    const byKey = new Map<string, Binding>();
    const follow = ({ type, object }: Pick<StoreEvent, 'type' | 'object'>): void => {
      const before = byKey.get(object.key);
      if (before !== undefined) remove(byNamespace, before);
      byKey.delete(object.key);
      if (type === 'DELETED') return;
      const binding = bindingOf(object.object);
      byKey.set(object.key, binding);
      add(byNamespace, binding);
    };
    for (const object of collection.entries) follow({ type: 'ADDED', object });
    collection.subscribe(follow);
  }
  return { of: (user, namespace) => find(byNamespace.get(namespace), subjectKeys(user)) };
}

function find(bySubject: BySubject | undefined, keys: readonly string[]): readonly Binding[] {
  if (bySubject === undefined) return [];
  const found = new Set<Binding>();
  for (const key of keys) for (const binding of bySubject.get(key) ?? []) found.add(binding);
  return [...found];
}

function add(byNamespace: Map<string, BySubject>, binding: Binding): void {
  const bySubject = byNamespace.get(binding.namespace) ?? new Map<string, Set<Binding>>();
  byNamespace.set(binding.namespace, bySubject);
  for (const { key } of binding.subjects) {
    const bindings = bySubject.get(key);
    if (bindings === undefined) bySubject.set(key, new Set([binding]));
    else bindings.add(binding);
  }
}

function remove(byNamespace: Map<string, BySubject>, binding: Binding): void {
  const bySubject = byNamespace.get(binding.namespace);
  for (const { key } of binding.subjects) {
    const bindings = bySubject?.get(key);
    bindings?.delete(binding);
    if (bindings?.size === 0) bySubject?.delete(key);
  }
  if (bySubject?.size === 0) byNamespace.delete(binding.namespace);
}
