export { toFieldSet } from './merge/typed/to-field-set.ts';
export { compareTyped, type Comparison } from './merge/typed/compare-typed.ts';
export { mergeTyped } from './merge/typed/merge-typed.ts';
export { removeFields } from './merge/typed/remove-fields.ts';
export { formatTypedErrors, type TypedError, validateTyped } from './merge/typed/validate-typed.ts';
export { type Conflict, ConflictError } from './merge/managed-fields/conflict-error.ts';
export {
  type Claims,
  decodeManagers,
  encodeManagers,
  fieldSetOf,
  managerIdentity,
  type Managers,
} from './merge/managed-fields/managers.ts';
export type { VersionedSchemas } from './merge/managed-fields/versioned-schemas.ts';
export { updateManagedFields, type UpdateOptions } from './merge/managed-fields/update-managed-fields.ts';
export { applyManagedFields } from './merge/managed-fields/apply-managed-fields.ts';
export type { ApplyOptions } from './merge/managed-fields/apply-options.ts';
export {
  managedFieldsAfterScale,
  managedFieldsOfScale,
  type ReplicasPaths,
} from './merge/managed-fields/managed-fields-of-scale.ts';
export { ignoreManagedFieldsTimestamps } from './merge/managed-fields/ignore-managed-fields-timestamps.ts';
