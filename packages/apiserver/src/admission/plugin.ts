import type { KubeObject } from '@kubewright/kube';
import type { Admission, AdmissionAttributes, WriteAttributes } from './admission.ts';

/** What kube-apiserver calls an admission plugin: a part of the server that looks at writes, and waits for nobody. */
export type AdmissionPlugin = {
  /** The object as the plugin leaves it: itself where it has nothing to say. */
  readonly mutate?: (attributes: WriteAttributes) => KubeObject;
  /** Throws where the write is refused. */
  readonly validate?: (attributes: AdmissionAttributes) => void;
};

/**
 * Plugins around `webhooks`: those of `before` change and check an object first; those of `after` check what everybody
 * else lets pass. Where webhooks change an object, plugins change it once more (`NewReinvocationHandler`).
 */
export function withPlugins(
  webhooks: Admission,
  before: readonly AdmissionPlugin[],
  after: readonly AdmissionPlugin[],
): Admission {
  return {
    *mutate(attributes) {
      const object = mutatedBy(before, attributes);
      const asked = object === attributes.object ? attributes : withObject(attributes, object);
      const answered = yield* webhooks.mutate(asked);
      return answered === object ? answered : mutatedBy(before, withObject(attributes, answered));
    },
    *validate(attributes) {
      for (const { validate } of before) validate?.(attributes);
      yield* webhooks.validate(attributes);
      for (const { validate } of after) validate?.(attributes);
    },
  };
}

function mutatedBy(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
): KubeObject | undefined {
  let { object } = attributes;
  if (object === undefined) return undefined;
  for (const { mutate } of plugins) object = mutate?.({ ...attributes, object }) ?? object;
  return object;
}

function withObject(attributes: AdmissionAttributes, object: KubeObject | undefined): AdmissionAttributes {
  return object === undefined ? attributes : { ...attributes, object };
}
