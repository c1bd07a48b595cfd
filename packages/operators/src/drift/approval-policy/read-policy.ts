import { type Json, type JsonObject, KubeError, parseTime } from '@kubewright/kube';
import { type CelAllowance, celAllowance, type CompiledDynamic, compileDynamic } from '@kubewright/kube/cel';
import type { AnyApprovalPolicy, PolicyRule } from './approval-policies.ts';
import { type OpeningHours, readWindow } from './approval-window.ts';

/** What expressions read: the child before and after, its parent and why that is as it is, who does what. */
const CEL_VARIABLES = ['old', 'new', 'parent', 'trace', 'user', 'operation'] as const;

export type Condition = {
  readonly text: string;
  readonly evaluate: (variables: Readonly<Record<string, Json>>, allowance?: CelAllowance) => boolean;
};

/** A rule of a policy, ready to match changes. */
export type ApprovalRule = Pick<PolicyRule, 'apiVersion' | 'kind' | 'name' | 'namespace' | 'mode'> & {
  /** `ApprovalPolicy shop/night, rule 0` */
  readonly title: string;
  readonly users: readonly string[];
  readonly operations: readonly string[];
  readonly generation: number | undefined;
  readonly expiry: Date | undefined;
  readonly windows: readonly OpeningHours[];
  readonly conditions: readonly Condition[];
};

/** A policy that was read. A rule with a problem approves nothing; the others do. */
type ReadPolicy = { readonly rules: readonly ApprovalRule[]; readonly problems: readonly string[] };

/** By the object, which a cache keeps until it changes. */
const read = new WeakMap<AnyApprovalPolicy, ReadPolicy>();

export function readPolicy(policy: AnyApprovalPolicy): ReadPolicy {
  const known = read.get(policy);
  if (known !== undefined) return known;
  const problems: string[] = [];
  const allowance = celAllowance();
  const rules = policy.spec.rules.flatMap((rule, index) => {
    const found: string[] = [];
    const report = (problem: string): unknown => found.push(`spec.rules[${index}].${problem}`);
    const made = ruleOf(policy, { ...rule, index }, allowance, report);
    problems.push(...found);
    return found.length > 0 ? [] : [made];
  });
  const result = { rules, problems };
  read.set(policy, result);
  return result;
}

function ruleOf(
  { kind, metadata, spec }: AnyApprovalPolicy,
  { index, ...rule }: AnyApprovalPolicy['spec']['rules'][number] & { readonly index: number },
  allowance: CelAllowance,
  report: (problem: string) => void,
): ApprovalRule {
  const { namespace: home, name } = metadata;
  /** A text is what is wrong. */
  const keep = <T>(place: string, read: T | string): readonly T[] => {
    if (typeof read !== 'string') return [read];
    report(`${place}${read}`);
    return [];
  };
  const conditions = (['prereqs', 'match'] as const).flatMap((field) => {
    const text = rule[field]?.cel;
    return text === undefined ? [] : keep(`${field}.cel: `, compiled(text, allowance));
  });
  return {
    ...rule,
    namespace: home ?? ('namespace' in rule ? rule.namespace : '*'),
    title: `${kind} ${home === undefined ? name : `${home}/${name}`}, rule ${index}`,
    users: spec.users ?? [],
    operations: rule.operations ?? [],
    generation: rule.generation,
    expiry: keep('expiry: ', timeOf(rule.expiry))[0],
    windows: (rule.windows ?? []).flatMap((one, place) => keep(`windows[${place}].`, readWindow(one))),
    conditions,
  };
}

/** The time, or what is wrong with it. */
function timeOf(text: string | undefined): Date | string | undefined {
  try {
    return text === undefined ? undefined : parseTime(text);
  } catch (error) {
    if (error instanceof KubeError) return error.message;
    throw error;
  }
}

function compiled(text: string, allowance: CelAllowance): Condition | string {
  const expression = compileDynamic(text, CEL_VARIABLES, allowance);
  return 'failure' in expression ? expression.failure : conditionOf(text, expression);
}

/** What fails, or gives anything but true, does not approve. */
function conditionOf(text: string, { evaluate }: CompiledDynamic): Condition {
  return {
    text,
    evaluate(variables: JsonObject, allowance?: CelAllowance) {
      try {
        return evaluate(variables, allowance) === true;
      } catch (error) {
        if (error instanceof KubeError) return false;
        throw error;
      }
    },
  };
}
