import type { Environment } from '@marcbachmann/cel-js';
import { KubeError } from '../kube-error.ts';
import {
  admissionEnvironment,
  type AdmissionVariables,
  type OptionalVariables,
} from './admission-variables.ts';
import { CelMeter } from './cel-meter.ts';
import { describeError } from './describe-error.ts';
import { type CompiledText, compileText, type Failure } from './expression.ts';
import { failed } from './failed.ts';
import { nameOfType } from './type-name.ts';

/** An expression of an admission policy. Its value is what CEL has for it: a boolean, a text, null. */
export type PolicyExpression = { readonly evaluate: (run: PolicyRun) => unknown };

/** The evaluation of a policy for one request: what its expressions may still cost, and the variables so far. */
export type PolicyRun = {
  left: number;
  readonly values: AdmissionVariables;
  readonly computed: Map<string, unknown>;
};

/** What the expressions of one policy may cost for one request: about 200 ms. */
const BUDGET = 800_000;

export function policyRun(values: AdmissionVariables): PolicyRun {
  return { left: BUDGET, values, computed: new Map() };
}

type Variable = { readonly name: string; readonly type: string; readonly compiled: CompiledText | Failure };

/**
 * The expressions of one admission policy. They share its variables, each of which is computed when the first of them
 * reads it.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#variable-composition
 */
export class PolicyCompiler {
  private readonly params: boolean;
  private readonly meter = new CelMeter();
  private readonly variables: Variable[] = [];

  /** `params`: the policy names a kind of parameters. */
  constructor({ params }: { readonly params: boolean }) {
    this.params = params;
  }

  /** Adds `variables.NAME` for what is compiled from now on. One that does not compile fails where it is read. */
  addVariable(name: string, text: string): Failure | undefined {
    const compiled = this.compileText(text, { authorizer: true, composed: true });
    const isKnown = !('failure' in compiled);
    this.variables.push({ name, type: isKnown ? compiled.type : 'dyn', compiled });
    return isKnown ? undefined : compiled;
  }

  /**
   * `types`: those that the expression may have, as cel-go names them. `composed`: it can read the policy's variables.
   */
  compile(
    text: string,
    options: { readonly types: readonly string[]; readonly authorizer: boolean; readonly composed: boolean },
  ): PolicyExpression | Failure {
    const compiled = this.compileText(text, options);
    if ('failure' in compiled) return compiled;
    const type = nameOfType(compiled.type);
    if (!options.types.includes(type)) return { failure: wrongType(options.types, type) };
    return { evaluate: (run) => this.evaluate(text, compiled, run) };
  }

  private compileText(
    text: string,
    { authorizer, composed }: Pick<OptionalVariables, 'authorizer'> & { readonly composed: boolean },
  ): CompiledText | Failure {
    const environment = admissionEnvironment({ params: this.params, authorizer });
    if (composed && this.variables.length > 0) this.declareVariables(environment);
    return compileText(environment, text, this.meter);
  }

  private declareVariables(environment: Environment): void {
    const fields = Object.fromEntries(this.variables.map(({ name, type }) => [name, type]));
    environment.registerType('kubernetes.variables', { ctor: Variables, fields });
    environment.registerVariable('variables', 'kubernetes.variables');
  }

  private evaluate(text: string, compiled: CompiledText, run: PolicyRun): unknown {
    this.meter.start(run.left);
    try {
      const value = compiled.run({
        ...run.values(),
        variables: new Variables((name) => this.read(name, run)),
      });
      // Throws if the error of an earlier stop was swallowed.
      this.meter.spend(0);
      return value;
    } catch (error) {
      const message = `expression '${text}' resulted in error: ${describeError(error)}`;
      throw new KubeError('InvalidExpression', message, { cause: error });
    } finally {
      run.left -= this.meter.cost;
    }
  }

  private read(name: string, run: PolicyRun): unknown {
    if (run.computed.has(name)) return run.computed.get(name);
    const variable = this.variables.find((one) => one.name === name);
    if (variable === undefined) throw failed(`no such key: ${name}`);
    const { compiled } = variable;
    if ('failure' in compiled)
      throw failed(`composited variable "${name}" fails to compile: ${compiled.failure}`);
    try {
      const reader = new Variables((other) => this.read(other, run));
      const value = compiled.run({ ...run.values(), variables: reader });
      run.computed.set(name, value);
      return value;
    } catch (error) {
      if (this.meter.exceeded) throw error;
      throw failed(`composited variable "${name}" fails to evaluate: ${describeError(error)}`);
    }
  }
}

/** `variables`, whose fields are computed when they are read. */
class Variables extends Map<string, unknown> {
  private readonly read: (name: string) => unknown;

  constructor(read: (name: string) => unknown) {
    super();
    this.read = read;
  }

  override get(name: string): unknown {
    return this.read(name);
  }

  override has(): boolean {
    return true;
  }
}

function wrongType(types: readonly string[], type: string): string {
  const [only] = types;
  return types.length === 1
    ? `must evaluate to ${only} but got ${type}`
    : `must evaluate to one of [${types.join(' ')}] but got ${type}`;
}
