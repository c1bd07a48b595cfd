import { readFileSync, readdirSync } from 'node:fs';
import { type Comment, parseSync } from 'oxc-parser';

/** A node of an ESTree, as the checks here read it. */
export type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

export type OperatorSource = {
  /** Below `packages/operators/src`. */
  readonly file: string;
  readonly text: string;
  readonly comments: readonly Comment[];
  readonly nodes: readonly Node[];
};

const HOME = new URL('../../packages/operators/src/', import.meta.url);
const NOT_SOURCE = /\.(?:test|contract)\.ts$|\/testing\/|\/demo\//;

/** What an operator consists of, without its tests and its demo. */
export function operatorSources(name: string): readonly OperatorSource[] {
  return readdirSync(new URL(`${name}/`, HOME), { recursive: true, encoding: 'utf8' })
    .map((path) => `${name}/${path.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !NOT_SOURCE.test(file))
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((file) => {
      const text = readFileSync(new URL(file, HOME), 'utf8');
      const { program, comments } = parseSync(file, text);
      return { file, text, comments, nodes: [...nodes(program)] };
    });
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function* nodes(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodes(item);
  } else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) yield* nodes(child);
  }
}

/** `as const` says nothing about the value. */
export function bare(value: unknown): Node | undefined {
  if (!isNode(value)) return undefined;
  return value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression'
    ? bare(value['expression'])
    : value;
}

export function literalText(value: unknown): string | undefined {
  const node = bare(value);
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

export function propertiesOf(object: Node): ReadonlyMap<string, Node> {
  const properties = Array.isArray(object['properties']) ? object['properties'].filter(isNode) : [];
  return new Map(properties.flatMap((property) => named(property)));
}

function named(property: Node): readonly (readonly [string, Node])[] {
  const { key, value } = property;
  const name = isNode(key) ? key['name'] : undefined;
  return typeof name === 'string' && isNode(value) ? [[name, value]] : [];
}
