import type { Strategy } from './resource-definition.ts';
import { type Field, specErrors } from '../validation/field.ts';
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
