import type { Environment } from '@marcbachmann/cel-js';
import { type CelNode, MACRO_BODY } from '../cel-node.ts';
import { sizeOf } from '../cel-cost.ts';
import { spendOnCall } from '../cel-meter.ts';
import { failed } from '../failed.ts';
import type { Checker, CelTypeDeclaration, Context, Evaluator } from './macro-parts.ts';

type Macro = {
  readonly receiver: CelNode;
  readonly names: readonly [CelNode, CelNode];
  readonly filter: CelNode | undefined;
  readonly [MACRO_BODY]: CelNode;
  outer?: Context;
  inner?: Context;
};

type Turn = { readonly key: unknown; readonly context: Context };

/** What a comprehension makes of its turns, and the type of that. */
type Comprehension = {
  readonly result: (evaluator: Evaluator, body: CelNode, turns: Iterable<Turn>) => unknown;
  readonly type: (checker: Checker, key: CelTypeDeclaration, body: CelTypeDeclaration) => CelTypeDeclaration;
};

const toBool: Comprehension['type'] = (checker) => checker.getType('bool');

const COMPREHENSIONS: Readonly<Record<string, Comprehension>> = {
  all: { result: (evaluator, body, turns) => !quantify(evaluator, body, turns, false), type: toBool },
  exists: { result: (evaluator, body, turns) => quantify(evaluator, body, turns, true), type: toBool },
  existsOne: { result: existsOne, type: toBool },
  transformList: {
    result: (evaluator, body, turns) => Array.from(turns, ({ context }) => evaluator.run(body, context)),
    type: (checker, _, body) => checker.registry.getListType(body),
  },
  transformMap: {
    result: (evaluator, body, turns) =>
      new Map(Array.from(turns, ({ key, context }) => [key, evaluator.run(body, context)])),
    type: (checker, key, body) => checker.registry.getMapType(key, body),
  },
  transformMapEntry: { result: mergeEntries, type: (_, __, body) => body },
};

/** cel-go's comprehensions of two variables: `m.all(k, v, …)`, where lists have their index for a key. */
export function registerTwoVariables(environment: Environment): void {
  for (const [name, comprehension] of Object.entries(COMPREHENSIONS)) {
    const returns = name.startsWith('transform') ? 'dyn' : 'bool';
    environment.registerFunction(`list.${name}(ast, ast, ast): ${returns}`, expander(comprehension));
    if (returns === 'bool') continue;
    environment.registerFunction(`list.${name}(ast, ast, ast, ast): dyn`, expander(comprehension));
  }
}

function expander({ result, type }: Comprehension) {
  return ({ args, receiver }: { args: CelNode[]; receiver: CelNode }): object => {
    const [key, value, ...rest] = args as [CelNode, CelNode, ...CelNode[]];
    const body = rest.at(-1) as CelNode;
    const macro: Macro = {
      receiver,
      names: [key, value],
      filter: rest.length > 1 ? rest[0] : undefined,
      [MACRO_BODY]: body,
    };
    return Object.assign(macro, {
      typeCheck: (checker: Checker, self: Macro, context: Context) =>
        checkMacro(checker, self, context, type),
      evaluate: (evaluator: Evaluator, self: Macro, context: Context) =>
        result(evaluator, self[MACRO_BODY], turnsOf(evaluator, self, context)),
    });
  };
}

function checkMacro(
  checker: Checker,
  macro: Macro,
  context: Context,
  type: Comprehension['type'],
): CelTypeDeclaration {
  for (const name of macro.names) {
    if (name.op !== 'id')
      throw checker.createError('invalid_macro_argument', 'argument must be a simple name', name);
  }
  const range = checker.check(macro.receiver, context);
  const [key, value] = variableTypes(checker, range, macro.receiver);
  macro.outer = context.forkWithVariable(macro.names[0].args, key);
  macro.inner = macro.outer.forkWithVariable(macro.names[1].args, value);
  if (macro.filter) checker.check(macro.filter, macro.inner);
  return type(checker, key, checker.check(macro[MACRO_BODY], macro.inner));
}

function variableTypes(
  checker: Checker,
  range: CelTypeDeclaration,
  node: CelNode,
): [CelTypeDeclaration, CelTypeDeclaration] {
  if (range.kind === 'list') return [checker.getType('int'), range.valueType];
  if (range.kind === 'map') return [range.keyType, range.valueType];
  if (range.kind === 'dyn') return [checker.getType('dyn'), checker.getType('dyn')];
  throw checker.createError(
    'invalid_comprehension_range',
    'expression cannot be range of a comprehension',
    node,
  );
}

function* turnsOf(evaluator: Evaluator, macro: Macro, context: Context): Iterable<Turn> {
  const { outer, inner, filter } = macro;
  if (!outer || !inner) throw failed('comprehension was not checked');
  const range = evaluator.run(macro.receiver, context);
  spendOnCall(sizeOf(range));
  for (const [key, value] of entriesOf(range)) {
    const turn = inner
      .reuse(outer.reuse(context).setIterValue(key, evaluator))
      .setIterValue(value, evaluator);
    if (!filter || evaluator.run(filter, turn) === true) yield { key, context: turn };
  }
}

/** Map literals of the library are plain objects; lists may be Sets. */
function entriesOf(range: unknown): readonly (readonly [unknown, unknown])[] {
  if (range instanceof Map) return [...(range as Map<unknown, unknown>)];
  if (Array.isArray(range) || range instanceof Set)
    return [...(range as Iterable<unknown>)].map((item, i) => [BigInt(i), item]);
  return Object.entries(range as object);
}

/** Whether some turn gives `wanted`. An error counts only if none does. */
function quantify(evaluator: Evaluator, body: CelNode, turns: Iterable<Turn>, wanted: boolean): boolean {
  let error: Error | undefined;
  for (const { context } of turns) {
    const outcome = evaluator.tryEval(body, context);
    if (outcome === wanted) return true;
    if (outcome instanceof Error) error ??= outcome;
  }
  if (error) throw error;
  return false;
}

function existsOne(evaluator: Evaluator, body: CelNode, turns: Iterable<Turn>): boolean {
  let count = 0;
  for (const { context } of turns) if (evaluator.run(body, context) === true) count++;
  return count === 1;
}

function mergeEntries(evaluator: Evaluator, body: CelNode, turns: Iterable<Turn>): Map<unknown, unknown> {
  const result = new Map<unknown, unknown>();
  for (const { context } of turns) {
    for (const [key, value] of entriesOf(evaluator.run(body, context))) {
      if (result.has(key)) throw failed(`insert failed: key ${String(key)} already exists`);
      result.set(key, value);
    }
  }
  return result;
}
