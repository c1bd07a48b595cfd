import type { Json } from '../json/json.ts';

/** What is wrong with one field; the vocabulary of `k8s.io/apimachinery/pkg/util/validation/field`. */
export type FieldErrorType =
  | 'Required'
  | 'Invalid'
  | 'TypeInvalid'
  | 'Duplicate'
  | 'NotSupported'
  | 'Forbidden'
  | 'NotFound'
  | 'TooLong'
  | 'TooMany'
  | 'TooFew'
  | 'TooShort'
  | 'InternalError';

/** One invalid field. `field` is dotted: `spec.template.spec.containers[0].image`. */
export type FieldError = {
  readonly type: FieldErrorType;
  readonly field: string;
  /** Shown in the message where the type shows one. Absent: no value is shown. */
  readonly value?: Json;
  /** The value as text, where it is not canonical JSON: Go prints a struct in the order of its fields. */
  readonly shown?: string;
  readonly detail: string;
};
