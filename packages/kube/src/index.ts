export * from './json/json.ts';
export * from './kube-error.ts';
export * from './error-text.ts';
export * from './shape-of.ts';
export { lazy } from './lazy.ts';
export * from './object/kube-object.ts';
export * from './time/on-abort.ts';
export * from './time/clock.ts';
export * from './time/manual-clock.ts';
export * from './time/random.ts';
export type { ApplyConfiguration } from './object/apply-configuration.ts';
export * from './builtin/builtin.data.ts';
export type * from './transport/transport.ts';
export * from './json/parse-json.ts';
export * from './json/canonical-bytes.ts';
export * from './json/compare-code-points.ts';
export * from './json/stringify-json.ts';
export * from './json/json-equal.ts';
export { evaluateJsonPath, type JsonPath, parseJsonPath } from './json/json-path.ts';
export * from './json/compare-text.ts';
export { defined } from './json/defined.ts';
export * from './json/deep-freeze.ts';
export * from './json/decoded-value.ts';
export * from './object/group-version.ts';
export * from './object/is-stored.ts';
export * from './object/without-ends.ts';
export { matchesGlob } from './object/matches-glob.ts';
export * from './object/owner-reference-to.ts';
export * from './object/compare-resource-versions.ts';
export * from './object/condition.ts';
export * from './object/format-time.ts';
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
