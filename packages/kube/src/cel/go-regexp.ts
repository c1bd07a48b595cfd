import { KubeError } from '../kube-error.ts';
import { compileRe2 } from '../schema/structural/compile-re2.ts';
import { re2Problem } from '../schema/structural/re2-problem.ts';

/** {@link compileRe2}; throws {@link KubeError} `InvalidExpression`, with Go's text, for a pattern that RE2 rejects. */
export function goRegExp(pattern: string): RegExp {
  const compiled = compileRe2(pattern);
  if (compiled === undefined) throw new KubeError('InvalidExpression', re2Problem(pattern) ?? pattern);
  return compiled;
}
