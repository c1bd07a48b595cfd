import type { JsonObject, Stored } from '@kubewright/kube';
import { PolicyCompiler } from '@kubewright/kube/cel';
import { bodyOf, maybeObject, objectAt, objectsAt, stringAt, stringsAt } from '../../objects/read.ts';
import { type Criteria, readCriteria } from '../matching/criteria.ts';
import {
  type CompiledExpression,
  compileMatchCondition,
  compileMessage,
  compileValidation,
  compileValue,
} from '../../model/compiled-expression.ts';

export type Validation = {
  readonly expression: string;
  readonly check: CompiledExpression;
  readonly message: string;
  readonly composeMessage?: CompiledExpression;
  /** Empty: `Invalid`. */
  readonly reason: string;
};

/** A ValidatingAdmissionPolicy, read for use. */
export type Policy = {
  readonly name: string;
  readonly criteria: Criteria;
  /** An expression that fails admits the write where it is true, and else rejects it. */
  readonly failsOpen: boolean;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly conditions: readonly CompiledExpression[];
  readonly validations: readonly Validation[];
  readonly annotations: readonly {
    readonly key: string;
    readonly expression: string;
    readonly value: CompiledExpression;
  }[];
  readonly bindings: readonly Binding[];
};

/** A ValidatingAdmissionPolicyBinding. */
export type Binding = {
  readonly name: string;
  /** Undefined: what the policy matches. */
  readonly criteria: Criteria | undefined;
  readonly paramRef: JsonObject | undefined;
  /** `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
};

/** A stored, and so valid and defaulted, policy. */
export function readPolicy(policy: Stored): Omit<Policy, 'bindings'> {
  const spec = objectAt(bodyOf(policy), 'spec');
  const paramKind = maybeObject(spec, 'paramKind');
  const compiler = new PolicyCompiler({ params: paramKind !== undefined });
  for (const one of objectsAt(spec, 'variables'))
    compiler.addVariable(stringAt(one, 'name'), stringAt(one, 'expression'));
  const conditions = objectsAt(spec, 'matchConditions');
  return {
    name: policy.metadata.name,
    criteria: readCriteria(objectAt(spec, 'matchConstraints'), 'resourceRules'),
    failsOpen: stringAt(spec, 'failurePolicy') === 'Ignore',
    ...(paramKind === undefined
      ? {}
      : { paramKind: { apiVersion: stringAt(paramKind, 'apiVersion'), kind: stringAt(paramKind, 'kind') } }),
    conditions: conditions.map((one) => compileMatchCondition(compiler, stringAt(one, 'expression').trim())),
    validations: objectsAt(spec, 'validations').map((one) => readValidation(compiler, one)),
    annotations: objectsAt(spec, 'auditAnnotations').map((one) => {
      const expression = stringAt(one, 'valueExpression').trim();
      return { key: stringAt(one, 'key'), expression, value: compileValue(compiler, expression) };
    }),
  };
}

function readValidation(compiler: PolicyCompiler, validation: JsonObject): Validation {
  const [expression, composed] = [
    stringAt(validation, 'expression'),
    stringAt(validation, 'messageExpression'),
  ];
  return {
    expression: expression.trim(),
    check: compileValidation(compiler, expression),
    message: stringAt(validation, 'message').trim(),
    ...(composed === '' ? {} : { composeMessage: compileMessage(compiler, composed) }),
    reason: stringAt(validation, 'reason'),
  };
}

export function readBinding(binding: Stored): Binding {
  const spec = objectAt(bodyOf(binding), 'spec');
  const resources = maybeObject(spec, 'matchResources');
  return {
    name: binding.metadata.name,
    criteria: resources === undefined ? undefined : readCriteria(resources, 'resourceRules'),
    paramRef: maybeObject(spec, 'paramRef'),
    actions: stringsAt(spec, 'validationActions'),
  };
}
