import { errorText } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { type AdmissionResponse, errored } from './admission-response.ts';
import { readAdmissionReview, writeAdmissionReview } from './read-admission-review.ts';
import { refusalOf } from './refusal-of.ts';
import { BODY_LIMIT, type Webhook, type WebhookResponse, type WebhookCall } from './webhook.ts';

/** What a handler is given beside the request. */
export type AdmissionContext = {
  /** Names the path, the object, the user and the request's uid. */
  readonly log: Logger;
  /** Aborted when the caller no longer waits, and when the server stops and no longer waits for the handler. */
  readonly signal: AbortSignal;
};

/**
 * Decides on one request. What it throws is answered as a refusal: an `ApiError` with its own status, a `denial` with
 * 403, anything else with 500.
 */
export type AdmissionHandler = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => AdmissionResponse | Promise<AdmissionResponse>;

/**
 * Answers AdmissionReviews as controller-runtime does: whatever is wrong with one is a refusal that says so, over HTTP
 * 200, so that who asked the API server reads it.
 */
export function admissionWebhook(handler: AdmissionHandler): Webhook {
  return async (call) => {
    const problem = problemOf(call);
    if (problem !== undefined) return refuse(call.log, problem);
    const review = readAdmissionReview(call.body as Uint8Array);
    if ('problem' in review) return refuse(call.log, errored(400, review.problem));
    const { request, apiVersion } = review;
    return {
      status: 200,
      body: writeAdmissionReview(await ask(handler, request, call), request.uid, apiVersion),
    };
  };
}

function problemOf({ body, headers }: WebhookCall): AdmissionResponse | undefined {
  if (body === 'too large') return errored(413, `request entity is too large; limit is ${BODY_LIMIT} bytes`);
  if (body.length === 0) return errored(400, 'request body is empty');
  const type = headers['content-type'];
  if (type === 'application/json') return undefined;
  return errored(400, `contentType=${String(type ?? '')}, expected application/json`);
}

function refuse(log: Logger, response: AdmissionResponse): WebhookResponse {
  log.error('bad request', { problem: response.result?.message });
  return { status: 200, body: writeAdmissionReview(response, '', undefined) };
}

async function ask(
  handler: AdmissionHandler,
  request: AdmissionRequest,
  call: WebhookCall,
): Promise<AdmissionResponse> {
  const { namespace, name, resource, userInfo, uid } = request;
  const object = namespace === '' ? name : `${namespace}/${name}`;
  const log = call.log.child({
    object,
    resource: resource.resource,
    user: userInfo.username,
    requestID: uid,
  });
  try {
    return await handler(request, { log, signal: call.signal });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) return refusal;
    call.onPanic();
    log.error('an admission handler failed', { error });
    return errored(500, `panic: ${errorText(error)} [recovered]`);
  }
}
