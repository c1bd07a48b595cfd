import type { Json, JsonObject } from '@kubewright/kube';
import { isJsonObject } from '@kubewright/kube';
import { entriesAt, maybeObject, objectsAt, stringAt, stringsAt } from './read.ts';

/** A `metav1.LabelSelector` in the order in which Go prints it: fields as declared, labels sorted. */
export function shownSelector(selector: Json): Json {
  if (!isJsonObject(selector)) return null;
  const labels = maybeObject(selector, 'matchLabels');
  const expressions = objectsAt(selector, 'matchExpressions');
  return {
    ...(labels === undefined ? {} : { matchLabels: Object.fromEntries(entriesAt(selector, 'matchLabels')) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions.map(shownExpression) }),
  };
}

function shownExpression(expression: JsonObject): JsonObject {
  const values = stringsAt(expression, 'values');
  return {
    key: stringAt(expression, 'key'),
    operator: stringAt(expression, 'operator'),
    ...(values.length === 0 ? {} : { values: [...values] }),
  };
}

/** An owner reference likewise. */
export function shownOwner(owner: JsonObject): JsonObject {
  const optional = ['controller', 'blockOwnerDeletion'].filter((key) => Object.hasOwn(owner, key));
  return Object.fromEntries(
    ['apiVersion', 'kind', 'name', 'uid', ...optional].map((key) => [key, owner[key] ?? '']),
  );
}
