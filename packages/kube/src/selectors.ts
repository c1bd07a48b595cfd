export * from './object/label-selector.ts';
export * from './object/parse-label-selector.ts';
export * from './object/label-selector-object.ts';
export * from './object/field-selector.ts';
