import { KubeError } from '../kube-error.ts';
import type { FieldError } from '../schema/field-error.ts';
import { fieldErrors } from '../schema/field-errors.ts';
import { formatFieldErrors } from '../schema/format-field-error.ts';
import { isQualifiedName, isValidLabelValue } from '../object/is-qualified-name.ts';
import { type LabelRequirement, parseInt64, type SelectorOperator } from './label-selector.ts';

/** A checked requirement. Throws {@link KubeError} `InvalidSelector` with the texts of Go's `labels.NewRequirement`. */
export function labelRequirement(
  key: string,
  operator: SelectorOperator,
  values: readonly string[],
): LabelRequirement {
  const errors = [
    ...keyErrors(key, 'key'),
    ...countErrors(operator, values),
    ...integerErrors(operator, values),
    ...values.flatMap((value, index) => valueErrors(key, value, index)),
  ];
  if (errors.length > 0) throw new KubeError('InvalidSelector', formatFieldErrors(errors));
  return { key, operator, values };
}

/** What is wrong with a selector's key; `field` as Go names it there. */
export function keyErrors(key: string, field: string): FieldError[] {
  const errors = isQualifiedName(key);
  return errors.length > 0 ? [fieldErrors.invalid(field, key, errors.join('; '))] : [];
}

function valueErrors(key: string, value: string, index: number): FieldError[] {
  const errors = isValidLabelValue(value);
  return errors.length > 0 ? [fieldErrors.invalid(`values[${index}][${key}]`, value, errors.join('; '))] : [];
}

function countErrors(operator: SelectorOperator, values: readonly string[]): FieldError[] {
  const detail = countProblem(operator, values.length);
  return detail === undefined ? [] : [fieldErrors.invalid('values', values, detail)];
}

function countProblem(operator: SelectorOperator, count: number): string | undefined {
  if (operator === 'in' || operator === 'notin') {
    return count > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
  }
  if (operator === 'exists' || operator === '!') {
    return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
  }
  if (count === 1) return undefined;
  return operator === 'gt' || operator === 'lt'
    ? "for 'Gt', 'Lt' operators, exactly one value is required"
    : 'exact-match compatibility requires one single value';
}

function integerErrors(operator: SelectorOperator, values: readonly string[]): FieldError[] {
  if (operator !== 'gt' && operator !== 'lt') return [];
  return values.flatMap((value, index) =>
    parseInt64(value) === undefined
      ? [
          fieldErrors.invalid(
            `values[${index}]`,
            value,
            "for 'Gt', 'Lt' operators, the value must be an integer",
          ),
        ]
      : [],
  );
}
