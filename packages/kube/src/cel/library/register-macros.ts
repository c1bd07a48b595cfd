import { type Environment, Optional } from '@marcbachmann/cel-js';
import { type CelNode, MACRO_BODY } from '../cel-node.ts';
import { failed } from '../failed.ts';
import { compareValues } from './compare-values.ts';
import type { Checker, CelTypeDeclaration, Context, Evaluator } from './macro-parts.ts';

/** A macro of one variable, which its body may use. */
type Macro = {
  readonly receiver: CelNode;
  readonly name: CelNode;
  readonly [MACRO_BODY]: CelNode;
  inner?: Context;
};

/** How a macro goes about its receiver and its body. */
type Behaviour = {
  /** The type of the variable in a receiver of that type; undefined: the macro takes no such receiver. */
  readonly variable: (receiver: CelTypeDeclaration) => CelTypeDeclaration | undefined;
  readonly type: (
    checker: Checker,
    receiver: CelTypeDeclaration,
    body: CelTypeDeclaration,
  ) => CelTypeDeclaration;
  readonly result: (receiver: unknown, run: (value: unknown) => unknown) => unknown;
};

const valueOf =
  (kind: string): Behaviour['variable'] =>
  (receiver) =>
    receiver.kind === kind ? receiver.valueType : receiver.kind === 'dyn' ? receiver : undefined;

/** cel-go's macros of one variable that the library lacks. */
const MACROS: Readonly<Record<string, Behaviour>> = {
  'list.sortBy(ast, ast): dyn': {
    variable: valueOf('list'),
    type: (_, receiver) => receiver,
    result: (list, run) =>
      Array.from(list as Iterable<unknown>, (value) => ({ value, key: run(value) }))
        .sort((a, b) => compareValues(a.key, b.key))
        .map(({ value }) => value),
  },
  'optional.optMap(ast, ast): dyn': {
    variable: valueOf('optional'),
    type: (checker, _, body) => checker.registry.getOptionalType(body),
    result: (optional, run) =>
      (optional as Optional).hasValue() ? Optional.of(run((optional as Optional).value())) : optional,
  },
  'optional.optFlatMap(ast, ast): dyn': {
    variable: valueOf('optional'),
    type: (_, __, body) => body,
    result: (optional, run) =>
      (optional as Optional).hasValue() ? run((optional as Optional).value()) : optional,
  },
};

export function registerMacros(environment: Environment): void {
  for (const [signature, behaviour] of Object.entries(MACROS))
    environment.registerFunction(signature, expander(behaviour));
}

function expander({ variable, type, result }: Behaviour) {
  return ({ args, receiver }: { args: CelNode[]; receiver: CelNode }): object => {
    const [name, body] = args as [CelNode, CelNode];
    const macro: Macro = { receiver, name, [MACRO_BODY]: body };
    return Object.assign(macro, {
      typeCheck(checker: Checker, self: Macro, context: Context): CelTypeDeclaration {
        if (name.op !== 'id')
          throw checker.createError('invalid_macro_argument', 'argument must be a simple name', name);
        const range = checker.check(receiver, context);
        const bound = variable(range);
        if (!bound) {
          const message = `expression of type '${range.name}' cannot be range of a comprehension`;
          throw checker.createError('invalid_comprehension_range', message, receiver);
        }
        self.inner = context.forkWithVariable(name.args, bound);
        return type(checker, range, checker.check(body, self.inner));
      },
      evaluate(evaluator: Evaluator, self: Macro, context: Context): unknown {
        const { inner } = self;
        if (!inner) throw failed('comprehension was not checked');
        return result(evaluator.run(receiver, context), (value) =>
          evaluator.run(self[MACRO_BODY], inner.reuse(context).setIterValue(value, evaluator)),
        );
      },
    });
  };
}
