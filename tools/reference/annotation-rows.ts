import { code, plain } from './markdown.ts';
import {
  bare,
  isNode,
  literalText,
  type Node,
  type OperatorSource,
  propertiesOf,
} from './operator-sources.ts';

const KEYS = /(?:^|_)(ANNOTATION|LABEL|FINALIZER)S?$/;

/** The keys that an operator declares in constants as `ANNOTATIONS`, `LABELS` and `FINALIZER`, each with the comment above it. */
export function annotationRows(sources: readonly OperatorSource[]): readonly (readonly string[])[] {
  return sources.flatMap((source) =>
    source.nodes
      .filter(({ type }) => type === 'VariableDeclarator')
      .flatMap((declarator) => declaredKeys(source, declarator)),
  );
}

function declaredKeys(source: OperatorSource, { id, init }: Node): readonly (readonly string[])[] {
  const name = isNode(id) && typeof id['name'] === 'string' ? id['name'] : '';
  const value = bare(init);
  const what = KEYS.exec(name)?.[1]?.toLowerCase();
  if (what === undefined || value === undefined) return [];
  const keys = value.type === 'ObjectExpression' ? [...propertiesOf(value).values()] : [value];
  return keys.flatMap((key) => {
    const text = literalText(key);
    return text === undefined ? [] : [[code(text), what, commentAbove(source, key)]];
  });
}

/** The doc comment that ends in the line before that of `node`. */
function commentAbove({ text, comments }: OperatorSource, node: Node): string {
  const line = text.lastIndexOf('\n', node.start);
  const comment = comments.find(
    ({ end }) => text.slice(end, line).trim() === '' && end <= line && end > line - 3,
  );
  const words = (comment?.value ?? '')
    .replaceAll(/^\*|\n\s*\*/g, '')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`');
  return plain(words.trim());
}
