import type { CelNode } from './cel-node.ts';

/** A node with its place in the source, as offsets. */
export type Located = CelNode & { readonly start: number; readonly end: number };

const OPENERS: Readonly<Record<string, string>> = {
  '.': '.',
  '.?': '.',
  '[]': '[',
  '[?]': '[',
  '?:': '?',
  rcall: '(',
  call: '(',
};

/** The position that cel-go reports for a node: its dot, bracket, parenthesis or operator, else its start. */
export function anchorOf(node: Located, source: string): number {
  if (isFieldOfHas(node, source)) return source.lastIndexOf('(', node.start);
  const token = Object.hasOwn(OPENERS, node.op) ? OPENERS[node.op] : isBinary(node.op) ? node.op : undefined;
  if (token === undefined) return node.start;
  const operands = (Array.isArray(node.args) ? node.args : []) as Located[];
  // The arguments of a method call are its name, the receiver and the rest; a function has no receiver.
  const before = node.op === 'rcall' ? operands[1] : node.op === 'call' ? undefined : operands[0];
  return Math.max(source.indexOf(token, before?.end ?? node.start), node.start);
}

/** For `has(a.b)` cel-go points at the parenthesis. */
function isFieldOfHas(node: Located, source: string): boolean {
  return (
    node.op === '.' &&
    /\bhas\(\s*$/.test(source.slice(0, node.start)) &&
    /^\s*\)/.test(source.slice(node.end))
  );
}

function isBinary(op: string): boolean {
  return /^(?:[-+*/%<>]|[<>=!]=|in|&&|\|\|)$/.test(op);
}
