import type { PolicyCompiler, PolicyExpression } from '@kubewright/kube/cel';

/** An expression, or why it does not compile. */
export type CompiledExpression = PolicyExpression | { readonly failure: string };

// The expressions of a policy by their place in it: which types they may have, and what they may read.

export function compileMatchCondition(compiler: PolicyCompiler, text: string): CompiledExpression {
  return compiler.compile(text, { types: ['bool'], authorizer: true, composed: false });
}

export function compileValidation(compiler: PolicyCompiler, text: string): CompiledExpression {
  return compiler.compile(text, { types: ['bool'], authorizer: true, composed: true });
}

export function compileMessage(compiler: PolicyCompiler, text: string): CompiledExpression {
  return compiler.compile(text, { types: ['string'], authorizer: false, composed: true });
}

/** The value of an audit annotation. */
export function compileValue(compiler: PolicyCompiler, text: string): CompiledExpression {
  return compiler.compile(text, { types: ['string', 'null_type'], authorizer: true, composed: true });
}
