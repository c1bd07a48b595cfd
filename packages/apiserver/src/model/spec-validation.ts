import type { Strategy } from './resource-definition.ts';
import type { Field } from '../validation/field.ts';
import { specErrors } from '../validation/spec-errors.ts';
import {
  type MetaRules,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../validation/validate-object-meta.ts';

/** Validates a kind's metadata, then its spec by `check`. */
export function specValidation<T>(
  rules: MetaRules,
  check: (spec: Field<T>, old?: Field<T>) => void,
): Pick<Strategy, 'validateCreate' | 'validateUpdate'> {
  return {
    validateCreate: (object) => [...validateObjectMeta(object, rules), ...specErrors(check, object)],
    validateUpdate: (object, old) => [
      ...validateObjectMetaUpdate(object, old),
      ...specErrors(check, object, old),
    ],
  };
}
