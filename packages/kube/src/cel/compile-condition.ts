import { KubeError } from '../kube-error.ts';
import { admissionEnvironment, type AdmissionVariables } from './admission-variables.ts';
import { CelMeter } from './cel-meter.ts';
import { describeError } from './describe-error.ts';
import { compileText, type Failure } from './expression.ts';

/** A compiled match condition; `evaluate` throws when the evaluation fails. */
export type CompiledCondition = { readonly evaluate: (variables: AdmissionVariables) => boolean };

/** What a condition may cost: about 50 ms. */
const BUDGET = 200_000;

/**
 * Compiles a condition of a webhook (`matchConditions`), which must be of type bool.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
export function compileCondition(text: string): CompiledCondition | Failure {
  const environment = admissionEnvironment({ params: false, authorizer: true });
  const meter = new CelMeter();
  const compiled = compileText(environment, text, meter);
  if ('failure' in compiled) return compiled;
  if (compiled.type !== 'bool') return { failure: `must evaluate to bool but got ${compiled.type}` };
  return {
    evaluate(variables) {
      meter.start(BUDGET);
      try {
        const isTrue = compiled.run(variables()) === true;
        // Throws if the error of an earlier stop was swallowed.
        meter.spend(0);
        return isTrue;
      } catch (error) {
        const message = `expression '${text}' resulted in error: ${describeError(error)}`;
        throw new KubeError('InvalidExpression', message, { cause: error });
      }
    },
  };
}
