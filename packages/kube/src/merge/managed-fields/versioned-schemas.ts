import type { KubeObject } from '../../object/kube-object.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';

/** What managed fields need to know of a kind: claims are made at versions, and every version has its schema. */
export type VersionedSchemas = {
  /** Undefined for a version that is not served any more: claims at it are dropped. */
  node(apiVersion: string): SchemaNode | undefined;
  /** The object at another version; may throw where no way leads there. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /** The object before it exists: of a built-in type, what its Go struct writes when nothing is set. */
  empty(apiVersion: string): KubeObject;
  /** Objects may come in other types than their schema says: custom resources, which nothing has decoded. */
  readonly unchecked?: boolean;
};
