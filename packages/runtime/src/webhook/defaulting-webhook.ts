import type { KubeObject } from '@kubewright/kube';
import { allowed, errored, patched } from './admission-response.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { denialOf } from './denial.ts';
import { noteTyped, type TypedContext } from './typed-context.ts';
import type { Webhook } from './webhook.ts';

/**
 * Sets the defaults of an object: returns a new object, and never changes its argument. Must be idempotent, because a
 * server may call it again (`reinvocationPolicy`).
 */
export type CustomDefaulter<T extends KubeObject = KubeObject> = {
  default(object: T, context: TypedContext): T | Promise<T>;
};

/** A mutating webhook for one type. Allows deletions. */
export function defaultingWebhook<T extends KubeObject = KubeObject>(defaulter: CustomDefaulter<T>): Webhook {
  return admissionWebhook(async (request, around) => {
    if (request.operation === 'DELETE') return allowed();
    if (request.object === undefined) return errored(400, 'there is no content to decode');
    const object = request.object as T;
    const { context, complete } = noteTyped(request, around);
    try {
      return complete(patched(object, await defaulter.default(object, context)));
    } catch (error) {
      const denied = denialOf(error);
      if (denied === undefined) throw error;
      return complete(denied);
    }
  });
}
