import type { Json } from '@kubewright/kube';
import type { FieldSet, Path } from '@kubewright/kube/fields';
import type { SchemaNode } from '@kubewright/kube/schema';

/** A position during the resolution of a path. */
export type Place = {
  /** The path so far, with a leading dot. */
  readonly text: string;
  /** The live values there: several below a wildcard, none if nothing is set. */
  readonly values: readonly Json[];
  /** The path in managedFields elements; undefined below a wildcard, and in items without an owner. */
  readonly path: Path | undefined;
  /** Undefined without a schema. */
  readonly node: SchemaNode | undefined;
  /** The path of the surrounding field that is owned as a whole. */
  readonly whole?: string | undefined;
};

/** The input of all steps. */
export type Grounds = {
  readonly kind: string;
  /** All owned fields. */
  readonly claimed: FieldSet;
};
