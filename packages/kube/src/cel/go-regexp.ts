import { KubeError } from '../kube-error.ts';
import { compileRe2, type Re2 } from '../schema/structural/compile-re2.ts';

/** {@link compileRe2}; throws {@link KubeError} `InvalidExpression`, with Go's text, for a pattern that RE2 rejects. */
export function goRegExp(pattern: string): Re2 {
  const compiled = compileRe2(pattern);
  if ('problem' in compiled) throw new KubeError('InvalidExpression', compiled.problem);
  return compiled;
}
