import {
  bare,
  isNode,
  literalText,
  type Node,
  type OperatorSource,
  propertiesOf,
} from './operator-sources.ts';

/** `texts`: the strings that an expression can be. `isComplete` is false where some of them cannot be known. */
export type PossibleTexts = { readonly texts: readonly string[]; readonly isComplete: boolean };

const UNKNOWN: PossibleTexts = { texts: [], isComplete: false };
const MAX_DEPTH = 5;

/**
 * Follows literals, conditionals, constants of the file, and parameters to the calls of their function by the operator.
 * What comes from elsewhere (a status, a response) cannot be known.
 */
export function possibleTexts(
  value: Node | undefined,
  source: OperatorSource,
  sources: readonly OperatorSource[],
  depth = 0,
): PossibleTexts {
  const node = bare(value);
  const text = literalText(node);
  if (text !== undefined) return { texts: [text], isComplete: true };
  if (node === undefined || depth > MAX_DEPTH) return UNKNOWN;
  const follow = (next: unknown, where = source): PossibleTexts =>
    possibleTexts(bare(next), where, sources, depth + 1);
  if (node.type === 'ConditionalExpression')
    return union([follow(node['consequent']), follow(node['alternate'])]);
  if (node.type === 'CallExpression')
    return union(returnsOf(node, sources).map((each) => follow(each.node, each.source)));
  if (node.type !== 'Identifier') return UNKNOWN;
  const passed = argumentsFor(node, source, sources);
  return passed.length > 0
    ? union(passed.map((each) => follow(each.node, each.source)))
    : follow(constantOf(node, source));
}

type Place = { readonly node: Node | undefined; readonly source: OperatorSource };

function union(all: readonly PossibleTexts[]): PossibleTexts {
  return {
    texts: [...new Set(all.flatMap(({ texts }) => texts))],
    isComplete: all.length > 0 && all.every(({ isComplete }) => isComplete),
  };
}

const nameOf = (value: unknown): unknown => (isNode(value) ? value['name'] : undefined);
const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const contains = (outer: Node, inner: Node): boolean =>
  outer.start <= inner.start && Number(outer['end']) >= Number(inner['end']);

/** The value of the last `const` of that name above the use. */
function constantOf(use: Node, { nodes }: OperatorSource): unknown {
  return nodes.findLast(
    (each) =>
      each.type === 'VariableDeclarator' &&
      nameOf(each['id']) === use['name'] &&
      Number(each['end']) <= use.start,
  )?.['init'];
}

/** What the calls of the innermost function that has a parameter of that name pass for it. */
function argumentsFor(
  use: Node,
  source: OperatorSource,
  sources: readonly OperatorSource[],
): readonly Place[] {
  const declared = source.nodes.findLast(
    (each) =>
      each.type === 'FunctionDeclaration' && contains(each, use) && parameterAt(each, use['name']) >= 0,
  );
  if (declared === undefined) return [];
  const index = parameterAt(declared, use['name']);
  const isDestructured = listOf(declared['params'])[index]?.type === 'ObjectPattern';
  return callsOf(nameOf(declared['id']), sources).map(({ node, source: where }) => {
    const argument = bare(listOf(node?.['arguments'])[index]);
    if (!isDestructured) return { node: argument, source: where };
    const property =
      argument?.type === 'ObjectExpression' ? propertiesOf(argument).get(String(use['name'])) : undefined;
    return { node: property, source: where };
  });
}

/** Those that have a name: declared, or constants. */
function functionsOf({ nodes }: OperatorSource): readonly { readonly name: unknown; readonly node: Node }[] {
  return nodes.flatMap((each) => {
    const { init } = each;
    if (each.type === 'FunctionDeclaration') return [{ name: nameOf(each['id']), node: each }];
    const isConstant = each.type === 'VariableDeclarator' && isNode(init);
    return isConstant && init.type === 'ArrowFunctionExpression'
      ? [{ name: nameOf(each['id']), node: init }]
      : [];
  });
}

function parameterAt(declared: Node, name: unknown): number {
  return listOf(declared['params']).findIndex((parameter) =>
    parameter.type === 'ObjectPattern'
      ? [...propertiesOf(parameter).values()].some((value) => nameOf(value) === name)
      : nameOf(parameter) === name,
  );
}

function callsOf(name: unknown, sources: readonly OperatorSource[]): readonly Place[] {
  return sources.flatMap((source) =>
    source.nodes
      .filter((each) => each.type === 'CallExpression' && nameOf(each['callee']) === name)
      .map((node) => ({ node, source })),
  );
}

/** What the function that is called returns. */
function returnsOf(call: Node, sources: readonly OperatorSource[]): readonly Place[] {
  return sources.flatMap((source) => {
    const called = functionsOf(source).filter(({ name }) => name === nameOf(call['callee']));
    return source.nodes
      .filter((each) => each.type === 'ReturnStatement' && called.some(({ node }) => contains(node, each)))
      .map((each) => ({ node: bare(each['argument']), source }));
  });
}
