import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { AdmissionRequest } from './admission-request.ts';
import { type AdmissionResponse, allowed, errored } from './admission-response.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { denialOf } from './denial.ts';
import { noteTyped, type TypedContext } from './typed-context.ts';
import type { Webhook } from './webhook.ts';

type Outcome = void | Promise<void>;

/** Validates objects of one type: throws a `denial` (or an `ApiError`) to deny. Without a method the operation is allowed. */
export type CustomValidator<T extends KubeObject = KubeObject> = {
  validateCreate?(object: T, context: TypedContext): Outcome;
  validateUpdate?(oldObject: T, object: T, context: TypedContext): Outcome;
  validateDelete?(object: T, context: TypedContext): Outcome;
};

/** A validating webhook for one type. The objects are untrusted input. */
export function validatingWebhook<T extends KubeObject = KubeObject>(validator: CustomValidator<T>): Webhook {
  return admissionWebhook(async (request, around) => {
    const judge = judgementOf(validator, request);
    if ('allowed' in judge) return judge;
    const { context, complete } = noteTyped(request, around);
    try {
      await judge.run(context);
      return complete(allowed());
    } catch (error) {
      const denied = denialOf(error);
      if (denied === undefined) throw error;
      return complete(denied);
    }
  });
}

type Judgement = { readonly run: (context: TypedContext) => Outcome };

function judgementOf<T extends KubeObject>(
  validator: CustomValidator<T>,
  { operation, object, oldObject }: AdmissionRequest,
): Judgement | AdmissionResponse {
  const typed = (value: JsonObject): T => value as T;
  switch (operation) {
    case 'CONNECT':
      return allowed();
    case 'CREATE':
      if (object === undefined) return noContent();
      return { run: (context) => validator.validateCreate?.(typed(object), context) };
    case 'UPDATE':
      if (object === undefined || oldObject === undefined) return noContent();
      return { run: (context) => validator.validateUpdate?.(typed(oldObject), typed(object), context) };
    case 'DELETE':
      if (oldObject === undefined) return noContent();
      return { run: (context) => validator.validateDelete?.(typed(oldObject), context) };
    default:
      return errored(400, `unknown operation ${JSON.stringify(operation)}`);
  }
}

function noContent(): AdmissionResponse {
  return errored(400, 'there is no content to decode');
}
