import type { KubeObject } from '@kubewright/kube';
import { type Steps, wait } from '../request/steps.ts';
import { type Admission } from '../rest/admission.ts';
import { withObject, type WriteAttributes, type AdmissionAttributes } from '../rest/admission-attributes.ts';

/** What kube-apiserver calls an admission plugin: a part of the server that looks at writes. */
export type AdmissionPlugin = {
  /** What the plugin waits for before it looks at the write, if anything. It must not reject. */
  readonly awaits?: (attributes: AdmissionAttributes) => Promise<void> | undefined;
  /** The object as the plugin leaves it: itself where it changes nothing. Throws where it rejects the write. */
  readonly mutate?: (attributes: WriteAttributes) => KubeObject;
  /** Throws where it rejects the write. */
  readonly validate?: (attributes: AdmissionAttributes) => void;
};

/**
 * Plugins around `webhooks`: those of `before` change and check an object first; those of `after` check what everybody
 * else lets pass.
 */
export function withPlugins(
  webhooks: Admission,
  before: readonly AdmissionPlugin[],
  after: readonly AdmissionPlugin[],
): Admission {
  return {
    *mutate(attributes) {
      return yield* webhooks.mutate(withObject(attributes, yield* mutatedBy(before, attributes)));
    },
    *validate(attributes) {
      yield* validatedBy(before, attributes);
      yield* webhooks.validate(attributes);
      yield* validatedBy(after, attributes);
    },
  };
}

/** The object as plugins leave it, each given what those before it made; undefined where there is none. */
export function* mutatedBy(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
): Steps<KubeObject | undefined> {
  let { object } = attributes;
  for (const { awaits, mutate } of plugins) {
    if (object === undefined || mutate === undefined) continue;
    const current = { ...attributes, object };
    const awaited = awaits?.(current);
    if (awaited !== undefined) yield* wait(awaited);
    object = mutate(current);
  }
  return object;
}

function* validatedBy(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): Steps<void> {
  for (const { awaits, validate } of plugins) {
    const awaited = awaits?.(attributes);
    if (awaited !== undefined) yield* wait(awaited);
    validate?.(attributes);
  }
}
