import type { Json } from '../json/json.ts';
import type { KubeObject } from './kube-object.ts';

/**
 * What server-side apply sends: the fields of `T` that a manager wants, all of them and no others. Every field but
 * `apiVersion`, `kind` and `metadata` may be left out, at every depth; one that `T` does not have does not compile.
 */
export type ApplyConfiguration<T extends KubeObject> = Pick<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly [K in keyof T as Exclude<K, 'apiVersion' | 'kind' | 'metadata'>]?: PartOf<T[K]>;
};

/** Free JSON stays as it is; keys of maps are data, not fields. */
type PartOf<V> = Json extends V ? V : PartOfEach<V>;
type PartOfEach<V> = V extends readonly (infer E)[]
  ? readonly PartOf<E>[]
  : V extends object
    ? string extends keyof V
      ? { readonly [K in keyof V]: PartOf<V[K]> }
      : { readonly [K in keyof V]?: PartOf<V[K]> }
    : V;
