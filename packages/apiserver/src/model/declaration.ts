import type { KubeObject } from '@kubewright/kube';
import type { ResourceDefinition, Strategy } from './resource-definition.ts';

/** A built-in resource, where it differs from the rule. */
export type Declaration = {
  /** `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly strategy: Strategy;
  readonly status?: Strategy;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  /** Default true. */
  readonly namespaced?: boolean;
  /** Subresources that take a kind of their own by POST, by name. */
  readonly createSubresources?: Readonly<Record<string, Declaration>>;
  readonly rest?: Partial<ResourceDefinition>;
};

/** A field selector's value. */
export type Selectable = Readonly<Record<string, (object: KubeObject) => string>>;
