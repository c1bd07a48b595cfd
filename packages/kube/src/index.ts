export * from './json/value.ts';
export * from './kube-error.ts';
export * from './error-text.ts';
export * from './object/types.ts';
export * from './time/abort.ts';
export * from './time/clock.ts';
export * from './time/manual-clock.ts';
export * from './time/random.ts';
export * from './builtin/builtin.data.ts';
export type * from './transport/types.ts';
export type * from './schema/schema-node.ts';
export type * from './schema/field-error.ts';
export * from './json/parse-json.ts';
export * from './json/stringify-json.ts';
export * from './json/json-equal.ts';
export * from './json/compare-text.ts';
export { defined } from './json/defined.ts';
export * from './json/deep-freeze.ts';
export * from './json/known-bytes.ts';
export { compileSchema, type ResolveRef } from './schema/compile-schema.ts';
export { type Catalogue, createCatalogue, loadCatalogue } from './schema/catalogue.ts';
export { type CatalogueData, importCatalogue, type OpenApiDocuments } from './schema/import-catalogue.ts';
export type { GoType, GoTypes } from './schema/go-types.ts';
export * from './object/quote-go.ts';
export * from './object/utf8-length.ts';
export * from './object/dns-names.ts';
export * from './object/label-names.ts';
export * from './object/other-names.ts';
export * from './object/api-version.ts';
export * from './object/owner-references.ts';
export * from './object/resource-version.ts';
export * from './object/conditions.ts';
export * from './object/label-selector.ts';
export * from './object/parse-label-selector.ts';
export * from './object/label-selector-object.ts';
export * from './object/field-selector.ts';
export * from './object/time.ts';
export { type CronSchedule, parseCronSchedule } from './schedule/cron-schedule.ts';
export { nextDue } from './schedule/next-due.ts';
export { formatTimeIn, isTimeZone } from './schedule/time-zone.ts';
export * from './schema/field-errors.ts';
export * from './schema/format-field-error.ts';
export {
  addQuantity,
  negateQuantity,
  type Quantity,
  quantityAsInteger,
  quantityAsNumber,
  type QuantityFormat,
  scaledQuantity,
} from './object/quantity-amount.ts';
export * from './object/quantity.ts';
export { parseQuantity } from './object/parse-quantity.ts';
export { formatQuantity } from './object/format-quantity.ts';
export { decodeBuiltIn, type Decoded } from './schema/decode/decode-built-in.ts';
export type { DecodeError } from './schema/decode/decode-context.ts';
export { s } from './schema/builder/s.ts';
export type {
  CommonOptions,
  Fields,
  Infer,
  ObjectOf,
  OptionalField,
  SchemaType,
  ValidationRule,
} from './schema/builder/schema-type.ts';
export { crd, type CrdOptions, type CrdVersion, type PrinterColumn } from './schema/builder/crd.ts';
export {
  type CustomResource,
  customResource,
  type CustomResourceOptions,
} from './schema/builder/custom-resource.ts';
export * from './fields/path-element.ts';
export { comparePathElements } from './fields/compare-elements.ts';
export { FieldSet } from './fields/field-set.ts';
export { formatPath, formatPathElement } from './fields/format-path.ts';
export { getElement, getPath } from './fields/get-path.ts';
export {
  matchesPattern,
  parsePathPattern,
  type PathPattern,
  selectByPattern,
} from './fields/path-pattern.ts';
export { formatGoValue } from './object/format-go-value.ts';
export { applyMergePatch } from './patch/merge-patch.ts';
export { diffMergePatch } from './patch/diff-merge-patch.ts';
export { applyJsonPatch } from './patch/json-patch.ts';
export { createJsonPatch, type JsonPatchOperation } from './patch/create-json-patch.ts';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.ts';
export { type Pruned, pruneStructural } from './schema/structural/prune-structural.ts';
export { defaultStructural } from './schema/structural/default-structural.ts';
export { decodeStructural } from './schema/structural/decode-structural.ts';
export { uncheckedRules, validateStructural } from './schema/structural/validate-structural.ts';
export { compileRe2 } from './schema/structural/re2.ts';
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
export { applyManagedFields, type ApplyOptions } from './merge/managed-fields/apply-managed-fields.ts';
export {
  managedFieldsAfterScale,
  managedFieldsOfScale,
  type ReplicasPaths,
} from './merge/managed-fields/scale-managed-fields.ts';
export { ignoreManagedFieldsTimestamps } from './merge/managed-fields/ignore-timestamps.ts';
export {
  compileCondition,
  type CompiledCondition,
  type ConditionVariables,
  conditionVariables,
} from './cel/compile-condition.ts';
export { type CompiledRules, compileRules, type RuleProblem } from './cel/compile-rules.ts';
export { escapeProperty } from './cel/escape-property.ts';
export { goRegExp } from './cel/go-regexp.ts';
export { type CrdSchemaOptions, validateCrdSchema } from './schema/crd/validate-crd-schema.ts';
export type { CheckRules, RulesPlace } from './schema/crd/openapi-rules.ts';
export { unrecognizedFormats } from './schema/crd/unrecognized-formats.ts';
