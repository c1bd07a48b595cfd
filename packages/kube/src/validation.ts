export type * from './schema/field-error.ts';
export * from './object/quote-go.ts';
export * from './object/utf8-length.ts';
export * from './object/dns-names.ts';
export * from './object/is-qualified-name.ts';
export * from './object/other-names.ts';
export * from './schema/field-errors.ts';
export * from './schema/format-field-error.ts';
export { formatGoValue } from './object/format-go-value.ts';
