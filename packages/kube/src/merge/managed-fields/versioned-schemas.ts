import type { KubeObject } from '../../object/kube-object.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';

/** The schemas of a kind by version: each entry of managed fields is of a version. */
export type VersionedSchemas = {
  /** Undefined for a version that is no longer served: its entries are dropped. */
  node(apiVersion: string): SchemaNode | undefined;
  /** The object at another version; may throw where no way leads there. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /** The object before it exists: of a built-in type, what its Go struct writes when nothing is set. */
  empty(apiVersion: string): KubeObject;
  /** Objects may not have the types of their schema: custom resources, which no decoder has checked. */
  readonly unchecked?: boolean;
};
