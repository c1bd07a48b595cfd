import type { JsonObject } from '@kubewright/kube';
import type { CompiledRules } from '@kubewright/kube/cel';
import type { SchemaNode } from '@kubewright/kube/schema';

/** One served version of a custom kind. */
export type CustomKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** `schema.openAPIV3Schema`; empty where the definition has none. */
  readonly structural: SchemaNode;
  /** The schema's `x-kubernetes-validations`. */
  readonly rules: CompiledRules;
  /** With the status subresource, spec and status are written apart. */
  readonly hasStatus: boolean;
  /** `subresources.scale`. */
  readonly scale: JsonObject | undefined;
};
