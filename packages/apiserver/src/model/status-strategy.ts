import { type Json, type JsonObject, type KubeObject, getOwn, jsonEqual } from '@kubewright/kube';
import type { Path } from '@kubewright/kube/fields';
import type { Strategy } from './resource-definition.ts';
import type { Errors } from '../validation/errors.ts';
import { bodyOf, metadataOf, valueAt } from '../objects/read.ts';
import { changeObject, withField } from '../objects/change-object.ts';

/** Building blocks of strategies: which part of an object a request may change. */

export const STATUS_RESET: readonly Path[] = [['f:status']];
export const SPEC_RESET: readonly Path[] = [['f:spec']];

/** `object` with the part `key` as `old` has it. */
export function keepOld(object: KubeObject, old: KubeObject, key: string): KubeObject {
  return changeObject(object, (body) => withField(body, key, getOwn(bodyOf(old), key)));
}

export function keepOldMetadata(object: KubeObject, old: KubeObject, key: string): KubeObject {
  const metadata = withField(metadataOf(object), key, getOwn(metadataOf(old), key));
  return changeObject(object, (body) => withField(body, 'metadata', metadata));
}

/** A new object's status is the server's business. */
export function clearStatus(status: Json = {}): (object: KubeObject) => KubeObject {
  return (object) => changeObject(object, (body) => withField(body, 'status', status));
}

export function changed(object: KubeObject, old: KubeObject, key: string): boolean {
  return !jsonEqual(valueAt(bodyOf(object), key), valueAt(bodyOf(old), key));
}

export function withGeneration(object: KubeObject, generation: number): KubeObject {
  const metadata: JsonObject = withField(metadataOf(object), 'generation', generation);
  return changeObject(object, (body) => withField(body, 'metadata', metadata));
}

export function generationOf(object: KubeObject): number {
  return object.metadata.generation ?? 0;
}

/** The generation begins with 1 and counts the changes of `key`. */
export function generationOfChanges(key = 'spec'): Prepared {
  return {
    prepareForCreate: (object) => withGeneration(object, 1),
    prepareForUpdate: (object, old) =>
      changed(object, old, key) ? withGeneration(object, generationOf(old) + 1) : object,
  };
}

type Prepared = {
  readonly prepareForCreate: (object: KubeObject) => KubeObject;
  readonly prepareForUpdate: (object: KubeObject, old: KubeObject) => KubeObject;
};

/** A write of the spec: the status stays, the generation counts. `status` is what Go writes of one that is empty. */
export function specStrategy(status: Json = {}): Prepared & Pick<Strategy, 'resetFields'> {
  const { prepareForCreate, prepareForUpdate } = generationOfChanges();
  return {
    prepareForCreate: (object) => prepareForCreate(clearStatus(status)(object)),
    prepareForUpdate: (object, old) => prepareForUpdate(keepOld(object, old, 'status'), old),
    resetFields: STATUS_RESET,
  };
}

/** The status subresource of a kind: spec (and `also`) stay, status is checked by `validate`. */
export function statusStrategy(
  validate: (object: KubeObject, old: KubeObject) => Errors,
  options: { readonly labels?: boolean } = {},
): Strategy {
  const labels = options.labels === true;
  return {
    prepareForUpdate: (object, old) => {
      const kept = keepOld(object, old, 'spec');
      return labels ? keepOldMetadata(kept, old, 'labels') : kept;
    },
    validateUpdate: validate,
    resetFields: labels ? [...SPEC_RESET, ['f:metadata', 'f:labels']] : SPEC_RESET,
  };
}
