export * from './json/value.ts';
export * from './kube-error.ts';
export * from './object/types.ts';
export type * from './transport/types.ts';
export type * from './fields/path-element.ts';
export type * from './schema/schema-node.ts';
export type * from './schema/field-error.ts';
