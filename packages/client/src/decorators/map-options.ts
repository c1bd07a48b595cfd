import type { KubeObject } from '@kubewright/kube';
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  WatchOptions,
  WriteOptions,
} from '../client/client.ts';
import type { ObjectKey } from '../rest/resource-ref.ts';

/** How a decorator changes the options of each call. */
export type OptionsMap = {
  readonly key?: (key: ObjectKey) => ObjectKey;
  readonly object?: <T extends KubeObject>(object: T) => T;
  readonly list?: <T extends ListOptions | WatchOptions>(options: T) => T;
  readonly write?: <T extends WriteOptions | ApplyOptions>(options: T) => T;
  readonly remove?: (options: DeleteOptions) => DeleteOptions;
};

const same = <T>(value: T): T => value;

/** `client`, with the options of each call changed by `map`. */
export function mapOptions(client: Client, map: OptionsMap): Client {
  const { key = same, object = same, list = same, write = same, remove = same } = map;
  return {
    mapper: client.mapper,
    get: async (ref, at, options: GetOptions = {}) => client.get(ref, key(at), options),
    list: async (ref, options = {}) => client.list(ref, list(options)),
    create: async (ref, made, options = {}) => client.create(ref, object(made), write(options)),
    update: async (ref, made, options = {}) => client.update(ref, object(made), write(options)),
    patch: async (ref, at, patch, options = {}) => client.patch(ref, key(at), patch, write(options)),
    apply: async (ref, made, options = {}) =>
      client.apply(ref, object(made as KubeObject) as typeof made, write(options)),
    delete: async (ref, at, options = {}) => client.delete(ref, key(at), remove(options)),
    deleteAll: async (ref, which, options = {}) => client.deleteAll(ref, list(which), remove(options)),
    podLog: async (at, options) => client.podLog(key(at), options),
    watch: (ref, options = {}) => client.watch(ref, list(options)),
  };
}
