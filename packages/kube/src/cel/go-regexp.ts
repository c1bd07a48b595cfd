import { KubeError } from '../kube-error.ts';
import { compileRe2, isCompiled, type Re2 } from '../schema/structural/compile-re2.ts';
import { programWeight } from '../schema/structural/program-weight.ts';
import { spendOnCall } from './cel-meter.ts';

/** {@link compileRe2}; throws {@link KubeError} `InvalidExpression`, with Go's text, for a pattern that RE2 rejects. */
export function goRegExp(pattern: string): Re2 {
  if (!isCompiled(pattern)) spendOnCall(programWeight(pattern));
  const compiled = compileRe2(pattern);
  if ('problem' in compiled) throw new KubeError('InvalidExpression', compiled.problem);
  return compiled;
}

/** Steps of a program in the time of one unit of a meter. */
const STEPS = 10;

/** What it may cost to look for a match in so many characters. */
export function spendOnMatch({ size }: Re2, length: number): void {
  spendOnCall((size * (length + 1)) / STEPS);
}
