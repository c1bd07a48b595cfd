export { type AdmissionVariables, admissionVariables } from './cel/admission-variables.ts';
export { compileCondition, type CompiledCondition } from './cel/compile-condition.ts';
export {
  type CelAllowance,
  celAllowance,
  compileDynamic,
  type CompiledDynamic,
  type DynamicVariables,
} from './cel/compile-dynamic.ts';
export { PolicyCompiler, type PolicyExpression, type PolicyRun, policyRun } from './cel/policy-compiler.ts';
export { type CompiledRules, compileRules, type RuleProblem } from './cel/compile-rules.ts';
export { escapeProperty } from './cel/escape-property.ts';
