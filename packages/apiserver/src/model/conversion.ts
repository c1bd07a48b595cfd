import type { KubeObject } from '@kubewright/kube';
import type { HookClient } from './hook-client.ts';

/** The webhook of a CustomResourceDefinition with `conversion.strategy: Webhook`. */
export type ConversionWebhook = {
  readonly client: HookClient;
  /** `conversionReviewVersions`: of `ConversionReview`, what the webhook reads. */
  readonly reviewVersions: readonly string[];
};

/**
 * How the objects of a custom resource come into its other versions: by a webhook, which has to be waited for. Reading
 * an object is pure all the same. What has been converted is remembered for as long as the object is there; what has
 * not throws {@link ConversionNeeded}, and who can wait has it converted and reads again (see `converting`).
 */
export class Conversion {
  readonly webhook: ConversionWebhook;
  readonly #converted = new WeakMap<KubeObject, Map<string, KubeObject>>();

  constructor(webhook: ConversionWebhook) {
    this.webhook = webhook;
  }

  has(object: KubeObject, apiVersion: string): boolean {
    return object.apiVersion === apiVersion || this.#converted.get(object)?.has(apiVersion) === true;
  }

  /** The object, of another version, as the webhook has converted it. */
  of(object: KubeObject, apiVersion: string): KubeObject {
    const converted = this.#converted.get(object)?.get(apiVersion);
    if (converted === undefined) throw new ConversionNeeded(this, object, apiVersion);
    return converted;
  }

  remember(object: KubeObject, converted: KubeObject): void {
    const versions = this.#converted.get(object) ?? new Map<string, KubeObject>();
    versions.set(converted.apiVersion, converted);
    this.#converted.set(object, versions);
  }
}

/** An object that a webhook has to convert before a computation can be carried out. */
export class ConversionNeeded extends Error {
  readonly conversion: Conversion;
  readonly object: KubeObject;
  readonly apiVersion: string;

  constructor(conversion: Conversion, object: KubeObject, apiVersion: string) {
    super(`${object.apiVersion} ${object.kind} has not been converted to ${apiVersion}`);
    this.name = 'ConversionNeeded';
    this.conversion = conversion;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}
