import { errorText } from '@kubewright/kube';
import { type AdmissionVariables, type PolicyRun, policyRun } from '@kubewright/kube/cel';
import type { CompiledExpression } from '../../model/compiled-expression.ts';
import type { Policy, Validation } from './policy.ts';

/** A validation that is false, or that could not be evaluated; `index`: its place in the policy. */
export type Denial = { readonly index: number; readonly message: string; readonly reason: string };

/** What became of an audit annotation; none where its expression has nothing to say. */
export type Annotation = { readonly key: string; readonly value: string } | { readonly error: string };

export type Evaluation = { readonly denials: readonly Denial[]; readonly annotations: readonly Annotation[] };

type Outcome = { readonly value: unknown } | { readonly error: string };

const NOTHING: Evaluation = { denials: [], annotations: [] };

/** The longest message that an expression may compose. */
const MAX_MESSAGE = 5 * 1024;

/** What a policy says of a write with one of its parameters. */
export function evaluatePolicy(policy: Policy, variables: AdmissionVariables): Evaluation {
  const run = policyRun(variables);
  const met = meetsConditions(policy, run);
  if (met === false) return NOTHING;
  if (met !== true) return policy.failsOpen ? NOTHING : { denials: [failure(0, met.error)], annotations: [] };
  return {
    denials: policy.validations.flatMap((one, index) => validate(policy, one, index, run) ?? []),
    annotations: policy.annotations.flatMap((one) => annotate(policy, one, run) ?? []),
  };
}

/** A condition that is false decides, whatever else fails. */
function meetsConditions({ conditions }: Policy, run: PolicyRun): boolean | { readonly error: string } {
  const outcomes = conditions.map((condition) => outcomeOf(condition, run));
  if (outcomes.some((outcome) => 'value' in outcome && outcome.value === false)) return false;
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return true;
  return { error: errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]` };
}

function validate(
  { failsOpen }: Policy,
  validation: Validation,
  index: number,
  run: PolicyRun,
): Denial | undefined {
  const outcome = outcomeOf(validation.check, run);
  if ('error' in outcome) return failsOpen ? undefined : failure(index, outcome.error);
  if (outcome.value === true) return undefined;
  return { index, message: messageOf(validation, run), reason: validation.reason || 'Invalid' };
}

function messageOf({ composeMessage, message, expression }: Validation, run: PolicyRun): string {
  const outcome = composeMessage === undefined ? undefined : outcomeOf(composeMessage, run);
  const composed = outcome !== undefined && 'value' in outcome ? outcome.value : '';
  const text = typeof composed === 'string' ? composed.trim() : '';
  const isUsable = text !== '' && Buffer.byteLength(text) <= MAX_MESSAGE && !text.includes('\n');
  if (isUsable) return text;
  return message === '' ? `failed expression: ${expression}` : message;
}

function annotate(
  { failsOpen }: Policy,
  { key, value }: Policy['annotations'][number],
  run: PolicyRun,
): Annotation | undefined {
  const outcome = outcomeOf(value, run);
  if ('error' in outcome) return failsOpen ? undefined : { error: outcome.error };
  const text = typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return text === '' ? undefined : { key, value: text };
}

function outcomeOf(compiled: CompiledExpression, run: PolicyRun): Outcome {
  if ('failure' in compiled) return { error: `compilation error: ${compiled.failure}` };
  try {
    return { value: compiled.evaluate(run) };
  } catch (error) {
    return { error: errorText(error) };
  }
}

function failure(index: number, message: string): Denial {
  return { index, message, reason: 'Invalid' };
}
