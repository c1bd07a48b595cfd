export { toFieldSet } from './merge/typed/to-field-set.ts';
export { compareTyped, type Comparison } from './merge/typed/compare.ts';
export { mergeTyped } from './merge/typed/merge.ts';
export { removeFields } from './merge/typed/remove-fields.ts';
export { formatTypedErrors, type TypedError, validateTyped } from './merge/typed/validate.ts';
export { type Conflict, ConflictError } from './merge/managed-fields/conflict-error.ts';
export {
  type Claims,
  decodeManagers,
  encodeManagers,
  fieldSetOf,
  managerIdentity,
  type Managers,
} from './merge/managed-fields/managers.ts';
export type { VersionedSchemas } from './merge/managed-fields/schemas.ts';
export { updateManagedFields, type UpdateOptions } from './merge/managed-fields/update-managed-fields.ts';
export { applyManagedFields } from './merge/managed-fields/apply-managed-fields.ts';
export type { ApplyOptions } from './merge/managed-fields/apply-options.ts';
export {
  managedFieldsAfterScale,
  managedFieldsOfScale,
  type ReplicasPaths,
} from './merge/managed-fields/scale-managed-fields.ts';
export { ignoreManagedFieldsTimestamps } from './merge/managed-fields/ignore-timestamps.ts';
