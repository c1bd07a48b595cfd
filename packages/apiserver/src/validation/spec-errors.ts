import { getOwn, type KubeObject } from '@kubewright/kube';
import { bodyOf } from '../objects/read.ts';
import type { Errors } from './errors.ts';
import { Field } from './field.ts';

export function specField<T>(object: KubeObject): Field<T> {
  return part(object, 'spec');
}

export function statusField<T>(object: KubeObject): Field<T> {
  return part(object, 'status');
}

function part<T>(object: KubeObject, key: string): Field<T> {
  return new Field(getOwn(bodyOf(object), key), { path: '', errors: [] }, key);
}

/** What `check` finds in the spec; `old` is that of the stored object on update. */
export function specErrors<T>(
  check: (spec: Field<T>, old?: Field<T>) => void,
  object: KubeObject,
  old?: KubeObject,
): Errors {
  const spec = specField<T>(object);
  check(spec, old && specField(old));
  return spec.errors;
}

/** What `check` finds in the whole object. */
export function objectErrors<T>(
  check: (body: Field<T>, old?: Field<T>) => void,
  object: KubeObject,
  old?: KubeObject,
): Errors {
  const body = new Field<T>(bodyOf(object));
  check(body, old && new Field(bodyOf(old)));
  return body.errors;
}

/** What `check` finds in a status that replaces `old`. */
export function statusErrors<T>(
  check: (status: Field<T>, old: Field<T>) => void,
  object: KubeObject,
  old: KubeObject,
): Errors {
  const status = statusField<T>(object);
  check(status, statusField(old));
  return status.errors;
}
