import type { admissionregistrationv1 } from '@kubewright/kube';
import { PolicyCompiler } from '@kubewright/kube/cel';
import { isQualifiedName } from '@kubewright/kube/validation';
import {
  compileMatchCondition,
  compileMessage,
  compileValidation,
  compileValue,
} from '../../model/compiled-expression.ts';
import type { Field } from '../../validation/field.ts';
import { repeats } from '../../validation/repeats.ts';
import { byteLength } from '../../validation/validate-labels.ts';
import { validateMatchResources } from './validate-match-resources.ts';
import { validateParamKind } from './validate-param-kind.ts';
import { type Compile, validateExpression, validateMatchConditions } from './validate-match-conditions.ts';

type Spec = Field<admissionregistrationv1.ValidatingAdmissionPolicySpec>;
type Name = { readonly name: string };

const MAX_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION = 5 * 1024;
const EMPTY = 'validations or auditAnnotations must contain at least one item';
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'] as const;
const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

/**
 * `validateValidatingAdmissionPolicySpec` of `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`.
 * `conditionsKnown`: an update leaves the conditions as they were.
 */
export function validatePolicySpec(spec: Spec, { name }: Name, conditionsKnown: boolean): void {
  spec.oneOf('failurePolicy', ['Fail', 'Ignore']);
  const paramKind = spec.maybeAt('paramKind');
  if (paramKind !== undefined) validateParamKind(paramKind);
  validateConstraints(spec);
  const compiler = new PolicyCompiler({ params: paramKind !== undefined });
  if (!conditionsKnown)
    validateMatchConditions(spec.at('matchConditions'), spec.items('matchConditions'), (text) =>
      compileMatchCondition(compiler, text),
    );
  for (const variable of spec.items('variables')) validateVariable(variable, compiler);
  if (spec.count('validations') === 0 && spec.count('auditAnnotations') === 0) {
    spec.at('validations').addRequired(EMPTY);
    spec.at('auditAnnotations').addRequired(EMPTY);
  }
  for (const validation of spec.items('validations')) validateValidation(validation, compiler);
  validateAnnotations(spec, name, (text) => compileValue(compiler, text));
}

function validateConstraints(spec: Spec): void {
  const constraints = spec.maybeAt('matchConstraints');
  if (constraints === undefined) return spec.at('matchConstraints').addRequired('');
  validateMatchResources(constraints);
  if (constraints.count('resourceRules') === 0) constraints.at('resourceRules').addRequired('');
}

function validateVariable(variable: Field<admissionregistrationv1.Variable>, compiler: PolicyCompiler): void {
  const [name, expression] = [variable.at('name'), variable.at('expression')];
  if (name.asText.trim() === '') name.addRequired('name is not specified');
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name.asText) || RESERVED.has(name.asText))
    name.addInvalid('must be a valid CEL identifier', { value: name.asText });
  if (expression.asText.trim() === '') return expression.addRequired('expression is not specified');
  const failed = compiler.addVariable(name.asText, expression.asText);
  if (failed !== undefined) expression.addInvalid(failed.failure, { value: expression.asText });
}

function validateValidation(
  validation: Field<admissionregistrationv1.Validation>,
  compiler: PolicyCompiler,
): void {
  const [expression, composed] = [validation.at('expression'), validation.at('messageExpression')];
  if (expression.asText.trim() === '') expression.addRequired('expression is not specified');
  else validateExpression(expression, expression.asText, (text) => compileValidation(compiler, text));
  if (composed.asText !== '' && composed.asText.trim() === '')
    composed.addInvalid('must be non-empty if specified', { value: composed.asText });
  else if (composed.asText !== '')
    validateExpression(composed, composed.asText, (text) => compileMessage(compiler, text));
  validateMessage(validation.at('message'));
  validation.oneOfIfSet('reason', REASONS);
}

function validateMessage(message: Field<string>): void {
  const value = message.asText;
  if (value !== '' && value.trim() === '') message.addInvalid('must be non-empty if specified', { value });
  else if (/[\n\r]/.test(value.trim())) message.addInvalid('must not contain line breaks', { value });
}

function validateAnnotations(spec: Spec, name: string, compile: Compile): void {
  const isRepeated = repeats();
  if (spec.count('auditAnnotations') > MAX_ANNOTATIONS)
    spec.at('auditAnnotations').addInvalid(`must not have more than ${MAX_ANNOTATIONS} auditAnnotations`);
  for (const annotation of spec.items('auditAnnotations')) {
    const key = annotation.at('key');
    validateKey(key, name);
    validateValue(annotation.at('valueExpression'), compile);
    key.mustBeNew(isRepeated);
  }
}

function validateKey(key: Field<string>, name: string): void {
  const value = `${name}/${key.asText}`;
  if (name === '') return key.addInvalid('requires metadata.name be non-empty', { value: key.asText });
  for (const message of isQualifiedName(value)) key.addInvalid(message, { value });
}

function validateValue(expression: Field<string>, compile: Compile): void {
  const text = expression.asText.trim();
  if (text === '') return expression.addRequired('valueExpression is not specified');
  if (byteLength(text) > MAX_VALUE_EXPRESSION)
    return expression.addRequired(`must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`);
  const compiled = compile(text);
  if ('failure' in compiled) expression.addInvalid(compiled.failure, { value: expression.asText });
}
