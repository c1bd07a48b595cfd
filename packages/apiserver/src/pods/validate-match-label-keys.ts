import type { JsonObject } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { type Errors, each, forbidden, NONE } from '../validation/errors.ts';
import { validateLabelName } from '../validation/validate-labels.ts';
import { entriesAt, objectsAt, stringAt } from '../objects/read.ts';

export type MatchKeys = { readonly match: readonly string[]; readonly mismatch: readonly string[] };

/** `matchLabelKeys` and `mismatchLabelKeys`: they need a selector and may not repeat it or each other. */
export function validateMatchLabelKeys(
  keys: MatchKeys,
  selector: JsonObject | undefined,
  path: string,
): Errors {
  return [
    ...validateKeys(keys.match, selector, `${path}.matchLabelKeys`),
    ...validateKeys(keys.mismatch, selector, `${path}.mismatchLabelKeys`),
    ...(selector === undefined ? NONE : validateNotInSelector(keys.match, selector, path)),
    ...each(keys.match, `${path}.matchLabelKeys`, (key, at) =>
      keys.mismatch.includes(key)
        ? [fieldErrors.invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys')]
        : NONE,
    ),
  ];
}

function validateKeys(keys: readonly string[], selector: JsonObject | undefined, path: string): Errors {
  if (keys.length === 0) return NONE;
  if (selector === undefined)
    return forbidden(true, path, 'must not be specified when labelSelector is not set');
  return each(keys, path, validateLabelName);
}

/** The server has added an expression per key, so a key seen twice was in the selector as well. */
function validateNotInSelector(keys: readonly string[], selector: JsonObject, path: string): Errors {
  const errors: FieldError[] = [];
  const seen = new Set(entriesAt(selector, 'matchLabels').map(([key]) => key));
  for (const expression of objectsAt(selector, 'matchExpressions')) {
    const key = stringAt(expression, 'key');
    const index = keys.lastIndexOf(key);
    if (index >= 0 && seen.has(key)) {
      errors.push(
        fieldErrors.invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'),
      );
    }
    seen.add(key);
  }
  return errors;
}
