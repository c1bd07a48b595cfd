import type { FieldSet } from '../../fields/field-set.ts';
import type { KubeObject } from '../../object/kube-object.ts';
import type { Claims } from './managers.ts';
import type { VersionedSchemas } from './versioned-schemas.ts';

/** A server-side apply. */
export type ApplyOptions = {
  /** The object as it is; absent where the apply creates it. */
  readonly live?: KubeObject | undefined;
  /** The configuration, as the client sent it. */
  readonly object: KubeObject;
  readonly manager: string;
  /** Empty for the object itself; `status`, `scale`. */
  readonly subresource: string;
  readonly force?: boolean;
  readonly now: Date;
  readonly schemas: VersionedSchemas;
  /** Fields that the kind resets on every write (`GetResetFields`): no manager owns them. */
  readonly resetFields?: FieldSet;
};

/** An apply with the managed fields split from the live object. */
export type ApplyRequest = Omit<ApplyOptions, 'live'> & {
  readonly live: KubeObject;
  readonly managers: ReadonlyMap<string, Claims>;
};

export type Applied = { readonly object: KubeObject; readonly managers: ReadonlyMap<string, Claims> };
