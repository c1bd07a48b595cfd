import type { Environment } from '@marcbachmann/cel-js';
import { REPLACED_FUNCTIONS } from './library/register-strings.ts';
import type { CelMeter } from './cel-meter.ts';
import { checkTyped } from './check-typed.ts';
import { correctBytes, correctTree } from './correct-tree.ts';
import { describeCompileError } from './describe-compile-error.ts';
import { checkTree } from './check-tree.ts';
import { meterTree, nodesOf, renameFunctions, usesVariable } from './cel-node.ts';

/** A checked expression, ready to run. */
export type Expression = {
  readonly usesOldSelf: boolean;
  /** Throws what the evaluation throws; its work is counted by the meter it was compiled with. */
  readonly run: (variables: { readonly self: unknown; readonly oldSelf: unknown }) => unknown;
};

/** An expression that does not compile, with the reason. */
export type Failure = { readonly failure: string };

/** A checked expression of whatever type. */
export type CompiledText = {
  readonly type: string;
  readonly uses: (variable: string) => boolean;
  /** Throws what the evaluation throws; its work is counted by the meter it was compiled with. */
  readonly run: (variables: Readonly<Record<string, unknown>>) => unknown;
};

/** Compiles `text`, which must give a value of type `expected` (or a dynamic one). */
export function compileExpression(
  environment: Environment,
  text: string,
  expected: 'bool' | 'string',
  meter: CelMeter,
): Expression | Failure {
  const compiled = compileText(environment, text, meter);
  if ('failure' in compiled) return compiled;
  const { type, run } = compiled;
  if (type !== expected && type !== 'dyn') return { failure: wrongType(expected) };
  return { usesOldSelf: compiled.uses('oldSelf'), run };
}

/** Reading more would hold up others; the real server has no limit but that of an object's size. */
const MAX_LENGTH = 20_000;
const TOO_LONG = `an expression has at most ${MAX_LENGTH} characters`;
/** What compiling the patterns of one expression may cost. */
const MAX_PATTERNS = 300_000;

/** Compiles `text` with the variables of the environment. */
export function compileText(environment: Environment, text: string, meter: CelMeter): CompiledText | Failure {
  try {
    if (text.length > MAX_LENGTH) return { failure: `compilation failed: ${TOO_LONG}` };
    const parsed = environment.parse(text);
    renameFunctions(parsed.ast, REPLACED_FUNCTIONS);
    correctBytes(parsed.ast, text, environment);
    // Patterns in the text are compiled.
    meter.start(MAX_PATTERNS);
    checkTree(parsed.ast);
    const { valid, type, error } = parsed.check();
    if (!valid) return failure(error, text, environment);
    const rejected = meter.during(() => checkTyped(parsed.ast, environment, text));
    if (rejected !== undefined) return { failure: rejected };
    correctTree(parsed.ast);
    meterTree(parsed.ast, meter);
    const size = nodesOf(parsed.ast).length;
    return {
      type: String(type),
      uses: (variable) => usesVariable(parsed.ast, variable),
      run: (variables) => {
        meter.spend(size);
        return meter.during(() => parsed(variables) as unknown);
      },
    };
  } catch (error) {
    return failure(error, text, environment);
  }
}

function failure(error: unknown, text: string, environment: Environment): Failure {
  const knows = (name: string): boolean =>
    environment.getDefinitions().functions.some((f) => f.name === name);
  return { failure: `compilation failed: ${describeCompileError(error, text, knows)}` };
}

export function isFailure(expression: Expression | Failure): expression is Failure {
  return 'failure' in expression;
}

function wrongType(expected: 'bool' | 'string'): string {
  return expected === 'bool'
    ? 'cel expression must evaluate to a bool'
    : 'messageExpression must evaluate to a string';
}
