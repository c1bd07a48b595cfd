import { compareText, type JsonObject } from '@kubewright/kube';
import { entriesAt, objectsAt, stringAt, stringsAt } from './read.ts';

/** A `metav1.LabelSelector` as `labels.Selector.String()` writes it: by key, values sorted. */
export function formatSelector(selector: JsonObject | undefined): string {
  if (selector === undefined) return '';
  const terms: (readonly [string, string])[] = [
    ...entriesAt(selector, 'matchLabels').map(([key, value]) => [key, `${key}=${value}`] as const),
    ...objectsAt(selector, 'matchExpressions').map(
      (term) => [stringAt(term, 'key'), formatTerm(term)] as const,
    ),
  ];
  return terms
    .sort(([a], [b]) => compareText(a, b))
    .map(([, text]) => text)
    .join(',');
}

function formatTerm(term: JsonObject): string {
  const key = stringAt(term, 'key');
  const values = [...stringsAt(term, 'values')].sort(compareText).join(',');
  switch (stringAt(term, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}
