import type { KubeObject } from '@kubewright/kube';
import { allowed, errored, patched } from './admission-response.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { refusalOf } from './refusal-of.ts';
import { noteTyped, type TypedContext } from './typed-context.ts';
import type { Webhook } from './webhook.ts';

/**
 * Fills in what an object of one type leaves open: returns the object with it, and never changes its argument. Must
 * give the same for its own result, because a server may ask again (`reinvocationPolicy`).
 */
export type CustomDefaulter<T extends KubeObject = KubeObject> = {
  default(object: T, context: TypedContext): T | Promise<T>;
};

/** A mutating webhook for one type. A deletion is let pass. */
export function defaultingWebhook<T extends KubeObject = KubeObject>(defaulter: CustomDefaulter<T>): Webhook {
  return admissionWebhook(async (request, around) => {
    if (request.operation === 'DELETE') return allowed();
    if (request.object === undefined) return errored(400, 'there is no content to decode');
    const object = request.object as T;
    const { context, complete } = noteTyped(request, around);
    try {
      return complete(patched(object, await defaulter.default(object, context)));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return complete(refusal);
    }
  });
}
