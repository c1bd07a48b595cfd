import type { SchemaNode } from '../schema/schema-node.ts';

const STEP = /\.([^.[\]']+)|\['((?:[^'\\]|\\[^])*)'\]/y;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * A rule's `fieldPath` (`.foo.bar`, `.map['key']`) as errors write paths: `foo.bar`, `map[key]`.
 * Undefined unless it names a field of the schema.
 */
export function resolveFieldPath(root: SchemaNode, path: string): string | undefined {
  let node: SchemaNode | undefined = root;
  let out = '';
  STEP.lastIndex = 0;
  while (node && STEP.lastIndex < path.length) {
    const name = nextName(path);
    if (name === undefined) return undefined;
    out += node.kind === 'map' ? `[${name}]` : `${out === '' ? '' : '.'}${name}`;
    node = child(node, name);
  }
  return node && out;
}

function nextName(path: string): string | undefined {
  const [, plain, quoted] = STEP.exec(path) ?? [];
  return plain ?? quoted?.replace(/\\([^])/g, (_, char: string) => ESCAPES[char] ?? char);
}

function child(node: SchemaNode, name: string): SchemaNode | undefined {
  if (node.kind === 'map') return node.values;
  return node.kind === 'struct' ? node.fields.get(name)?.node : undefined;
}
