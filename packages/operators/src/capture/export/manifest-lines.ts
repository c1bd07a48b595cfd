import {
  canonicalJson,
  compareText,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@kubewright/kube';

const PLAIN_KEY = /^[A-Za-z_][\w./-]*$/;

/** A manifest as lines of YAML with sorted keys, for people. Numbers are printed exactly. */
export function manifestLines(object: JsonObject): readonly string[] {
  return linesOf(object, '');
}

function linesOf(value: Json, indent: string): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item) => itemLines(item, indent));
  if (!isJsonObject(value)) return [`${indent}${canonicalJson(value)}`];
  return Object.entries(value)
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([key, field]) => {
      const title = `${indent}${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}:`;
      return isNested(field)
        ? [title, ...linesOf(field, `${indent}  `)]
        : [`${title} ${canonicalJson(field)}`];
    });
}

function itemLines(item: Json, indent: string): readonly string[] {
  if (!isNested(item)) return [`${indent}- ${canonicalJson(item)}`];
  const [first = '', ...rest] = linesOf(item, `${indent}  `);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

function isNested(value: Json): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
}
