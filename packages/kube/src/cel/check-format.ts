import { KubeError } from '../kube-error.ts';
import { anchorOf } from './anchor-of.ts';
import { failed } from './failed.ts';
import { TAKES } from './library/format-string.ts';
import { formatTemplate } from './library/format-template.ts';
import { nameOfType } from './type-name.ts';
import type { Found, TypedNode } from './typed-node.ts';

/** What each verb takes, by the names of the library's types. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  s: ['string', 'bool', 'bytes', 'int', 'uint', 'double', 'map', 'list', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** Compares the clauses of a literal template with the types of a literal list, as cel-go does when it compiles. */
export function checkFormat(node: TypedNode, source: string): Found | undefined {
  if (node.op !== 'rcall') return undefined;
  const [name, template, [list]] = node.args as [string, TypedNode, TypedNode[]];
  if (name !== 'format' || list?.op !== 'list' || template.op !== 'value') return undefined;
  const args = list.args as TypedNode[];
  let [used, position] = [0, anchorOf(node, source)];
  try {
    formatTemplate(String(template.args), args.length, ({ verb, index }) => {
      const wrong = wrongFor(verb, args[index] as TypedNode);
      used++;
      if (!wrong) return '';
      position = anchorOf(wrong, source);
      throw failed(`error during formatting: ${TAKES[verb]}, was given ${shortName(wrong)}`);
    });
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return { message: error.message, position };
  }
  if (args.length <= used) return undefined;
  return {
    message: `too many arguments supplied to string.format (expected ${used}, got ${args.length})`,
    position,
  };
}

/** The argument, or the part of it, that a verb does not take. */
function wrongFor(verb: string, argument: TypedNode): TypedNode | undefined {
  if (!takes(verb, argument)) return argument;
  if (verb !== 's') return undefined;
  if (argument.op === 'list') return (argument.args as TypedNode[]).find((item) => wrongFor(verb, item));
  if (argument.op === 'map')
    return (argument.args as TypedNode[][]).flat().find((item) => wrongFor(verb, item));
  return undefined;
}

function takes(verb: string, { checkedType }: TypedNode): boolean {
  const { kind = 'dyn', name = '' } = checkedType ?? {};
  if (kind === 'dyn' || kind === 'param') return true;
  if (verb === 's' && name.startsWith('google.protobuf.')) return true;
  return (TYPES[verb] ?? []).includes(kind === 'primitive' ? name : kind);
}

function shortName({ checkedType }: TypedNode): string {
  const { kind = '', name = '' } = checkedType ?? {};
  if (name.startsWith('object_')) return 'object';
  return nameOfType(['list', 'map', 'optional'].includes(kind) ? kind : name);
}
