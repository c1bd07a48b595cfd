export * from './fields/path-element.ts';
export { comparePathElements } from './fields/compare-path-elements.ts';
export { FieldSet } from './fields/field-set.ts';
export { formatPath, formatPathElement } from './fields/format-path.ts';
export { getElement, getPath } from './fields/get-path.ts';
export {
  matchesPattern,
  parsePathPattern,
  type PathPattern,
  type PatternStep,
  selectByPattern,
} from './fields/path-pattern.ts';
