import type { Json } from '../json/json.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { type Path, type PathElement, parsePathElement } from './path-element.ts';

/** A path as the server writes it in conflicts: `.spec.containers[name="c"].image`, `.finalizers[="a"]`. */
export function formatPath(path: Path): string {
  return path.map(formatPathElement).join('');
}

export function formatPathElement(element: PathElement): string {
  const parsed = parsePathElement(element);
  switch (parsed.type) {
    case 'field':
      return `.${parsed.name}`;
    case 'key':
      return `[${Object.entries(parsed.keys)
        .map(([name, value]) => `${name}=${formatValue(value)}`)
        .join(',')}]`;
    case 'value':
      return `[=${formatValue(parsed.value)}]`;
    case 'index':
      return `[${parsed.index}]`;
  }
}

function formatValue(value: Json): string {
  return value === null ? 'null' : stringifyJson(value);
}
