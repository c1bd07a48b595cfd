export {
  compileCondition,
  type CompiledCondition,
  type ConditionVariables,
  conditionVariables,
} from './cel/compile-condition.ts';
export {
  type CelAllowance,
  celAllowance,
  compileDynamic,
  type CompiledDynamic,
  type DynamicVariables,
} from './cel/compile-dynamic.ts';
export { type CompiledRules, compileRules, type RuleProblem } from './cel/compile-rules.ts';
export { escapeProperty } from './cel/escape-property.ts';
