import type { Store } from '../../storage/store.ts';
import { GROUP, type Hook, hooksOf } from './hook.ts';

/** All webhooks of one kind of configuration as they are now: by the name of the configuration, then as it lists them. */
export function hookSource(store: Store, resource: string): () => readonly Hook[] {
  const collection = store.collection(GROUP, resource);
  let hooks: readonly Hook[] | undefined;
  const forget = (): void => {
    hooks = undefined;
  };
  collection.subscribe(forget);
  store.onRestore(forget);
  return () => {
    hooks ??= collection.entries.flatMap(({ object }) => hooksOf(object));
    return hooks;
  };
}
