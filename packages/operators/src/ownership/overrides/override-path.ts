/** One step of an override's path. */
export type PathStep =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'all' }
  /** The items whose field `key` is this text. */
  | { readonly type: 'match'; readonly key: string; readonly value: string };

const STRING = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const NAME = '[a-zA-Z_][a-zA-Z0-9_]*';
const STEP = new RegExp(
  String.raw`\s*(?:(?:\.\s*)?(?<field>${NAME})|\[\s*(?:(?<all>\*)|(?<index>\d+)|(?<name>${STRING})|(?<key>${NAME})\s*=\s*(?<value>${STRING}))\s*\])`,
  'y',
);

/**
 * Parses a path as the original writes it: `self.spec.containers[name="web"].image`, `self.data['a-b']`, `self.list[0]`,
 * `self.list[*].x`. Undefined: it is not one. The steps are those after `self`.
 */
export function parseOverridePath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  let end = 0;
  for (let match = STEP.exec(text); match !== null; match = STEP.exec(text)) {
    end = STEP.lastIndex;
    steps.push(stepOf(match.groups ?? {}));
  }
  const [root, ...rest] = steps;
  const isWhole = text.slice(end).trim() === '';
  return isWhole && root?.type === 'field' && root.name === 'self' ? rest : undefined;
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): PathStep {
  const { field, all, index, name, key = '', value = '' } = groups;
  if (field !== undefined) return { type: 'field', name: field };
  if (all !== undefined) return { type: 'all' };
  if (index !== undefined) return { type: 'index', index: Number(index) };
  if (name !== undefined) return { type: 'field', name: unquoted(name) };
  return { type: 'match', key, value: unquoted(value) };
}

function unquoted(text: string): string {
  const quote = text[0] ?? '';
  return text.slice(1, -1).replaceAll(`\\${quote}`, quote);
}
