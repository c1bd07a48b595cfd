import type { Json } from '@kubewright/kube';
import type { FieldSet, Path } from '@kubewright/kube/fields';
import type { SchemaNode } from '@kubewright/kube/schema';

/** Where a path has come to. */
export type Place = {
  /** The path so far, with a leading dot. */
  readonly text: string;
  /** The live values there: several below a wildcard, none where nothing is set. */
  readonly values: readonly Json[];
  /** The same as elements of managedFields; undefined below a wildcard, and in items that nobody owns. */
  readonly path: Path | undefined;
  /** Undefined where no schema says what may be there. */
  readonly node: SchemaNode | undefined;
  /** The path of the field around it that is owned as a whole. */
  readonly whole?: string | undefined;
};

/** What all steps share. */
export type Grounds = {
  readonly kind: string;
  /** What anybody claims. */
  readonly claimed: FieldSet;
};
