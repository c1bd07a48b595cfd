export * from './json/value.ts';
export * from './kube-error.ts';
export * from './error-text.ts';
export * from './object/types.ts';
export * from './time/abort.ts';
export * from './time/clock.ts';
export * from './time/manual-clock.ts';
export * from './time/random.ts';
export type { ApplyConfiguration } from './object/apply-configuration.ts';
export * from './builtin/builtin.data.ts';
export type * from './transport/types.ts';
export * from './json/parse-json.ts';
export * from './json/stringify-json.ts';
export * from './json/json-equal.ts';
export * from './json/compare-text.ts';
export { defined } from './json/defined.ts';
export * from './json/deep-freeze.ts';
export * from './json/known-bytes.ts';
export * from './object/api-version.ts';
export * from './object/is-stored.ts';
export * from './object/owner-references.ts';
export * from './object/resource-version.ts';
export * from './object/conditions.ts';
export * from './object/time.ts';
export { s } from './schema/builder/s.ts';
export type {
  CommonOptions,
  Defaulted,
  Fields,
  Infer,
  Input,
  InputOf,
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
