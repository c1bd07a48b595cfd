import type { JsonObject } from '@kubewright/kube';
import { stringAt } from '../objects/read.ts';
import { type Errors, required } from '../validation/errors.ts';

/** How one kind of volume is checked. Paths of errors differ from the field's name in a few places, as upstream. */
export type SourceCheck = {
  readonly key: string;
  readonly check: (source: JsonObject, path: string, isPod: boolean) => Errors;
  readonly path?: string;
  readonly forbiddenAs?: string;
};

/** `required` for each of `keys`. */
export function needs(source: JsonObject, path: string, ...keys: readonly string[]): Errors {
  return keys.flatMap((key) => required(stringAt(source, key) !== '', `${path}.${key}`));
}
