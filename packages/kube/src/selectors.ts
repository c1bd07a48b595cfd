export * from './selectors/label-selector.ts';
export * from './selectors/parse-label-selector.ts';
export * from './selectors/label-selector-object.ts';
export * from './selectors/parse-field-selector.ts';
export * from './selectors/matches-node-terms.ts';
