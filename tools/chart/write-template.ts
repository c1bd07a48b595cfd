import { isJsonArray, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';

/** What a template has in the place of a value: written as it is, without quotes. */
export type Hole = {
  readonly hole: 'text' | 'tree' | 'lines';
  /** `text`: a scalar. `tree`: an expression whose value is a tree. `lines`: items of a list, or the entries of a map. */
  readonly text: string;
};
/** An entry of a map, or an item of a list, that is there where a condition holds. */
type When = { readonly when: string; readonly value: Value };
/** JSON with holes. */
export type Value = Json | Hole | When | readonly Value[] | { readonly [name: string]: Value };

const HOLES = new WeakSet();

function marked<T extends Hole | When>(hole: T): T {
  HOLES.add(hole);
  return hole;
}

export const text = (template: string): Hole => marked({ hole: 'text', text: template });
export const tree = (expression: string): Hole => marked({ hole: 'tree', text: expression });
/** Lines of the template, to which the indentation of the place is added; an own one of `nindent` is `INDENT`. */
export const lines = (template: string): Hole => marked({ hole: 'lines', text: template });
export const when = (condition: string, value: Value): Value => marked({ when: condition, value });
/** The entries of a map at `path` of the values, among those of another map: the value of the name ''. */
export const entriesOf = (path: string): Hole =>
  lines(`{{- with .Values.${path} }}\n{{- toYaml . | nindent INDENT }}\n{{- end }}`);
/** The value at `path` of the values, where it is not empty. */
export const optional = (path: string): Value => when(`.Values.${path}`, tree(`.Values.${path}`));

/** The YAML of objects as a Helm template. Text that would be one of its actions stays text. */
export function writeTemplate(objects: readonly (KubeObject | Value)[]): string {
  return objects.map((object) => documentOf(object)).join('');
}

function documentOf(object: Value): string {
  if (isWhen(object)) return `{{- if ${object.when} }}\n${documentOf(object.value)}{{- end }}\n`;
  return `---\n${linesOf(object, '').join('\n')}\n`;
}

function isHole(value: unknown): value is Hole {
  return typeof value === 'object' && value !== null && HOLES.has(value) && 'hole' in value;
}

function isWhen(value: unknown): value is When {
  return typeof value === 'object' && value !== null && HOLES.has(value) && 'when' in value;
}

/** The lines of a list or a map at an indentation. */
export function linesOf(value: Value, indent: string): readonly string[] {
  if (isJsonArray(value)) return (value as readonly Value[]).flatMap((item) => itemLines(item, indent));
  return Object.entries(value as Readonly<Record<string, Value>>).flatMap(([name, entry]) =>
    entryLines(name, entry, indent),
  );
}

function entryLines(name: string, value: Value, indent: string): readonly string[] {
  if (isWhen(value))
    return [
      `${indent}{{- if ${value.when} }}`,
      ...entryLines(name, value.value, indent),
      `${indent}{{- end }}`,
    ];
  // More entries.
  if (name === '' && isHole(value)) return placed(value.text, indent);
  const key = `${indent}${scalar(name)}:`;
  if (isHole(value)) return holeLines(key, value, indent);
  return isTree(value) ? [key, ...linesOf(value, `${indent}  `)] : [`${key} ${scalar(value)}`];
}

function holeLines(key: string, { hole, text: template }: Hole, indent: string): readonly string[] {
  switch (hole) {
    case 'text':
      return [`${key} ${template}`];
    case 'tree':
      return [key, `${indent}  {{- toYaml ${template} | nindent ${indent.length + 2} }}`];
    case 'lines':
      return [key, ...placed(template, `${indent}  `)];
  }
}

function itemLines(item: Value, indent: string): readonly string[] {
  if (isWhen(item))
    return [`${indent}{{- if ${item.when} }}`, ...itemLines(item.value, indent), `${indent}{{- end }}`];
  if (isHole(item)) return item.hole === 'lines' ? placed(item.text, indent) : [`${indent}- ${item.text}`];
  if (!isTree(item)) return [`${indent}- ${scalar(item)}`];
  const [first = '', ...rest] = linesOf(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function placed(template: string, indent: string): readonly string[] {
  return template.split('\n').map((line) => `${indent}${line.replaceAll('INDENT', String(indent.length))}`);
}

function isTree(value: Value): boolean {
  if (isJsonArray(value)) return (value as readonly Value[]).length > 0;
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** Text that YAML takes for nothing else. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z](?:[\w./:-]*[\w/-])?$/i;

/** JSON is YAML. */
function scalar(value: Json): string {
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  return JSON.stringify(value).replaceAll('{{', '{{ "{{" }}');
}
