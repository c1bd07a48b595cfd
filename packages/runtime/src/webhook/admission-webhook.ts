import { errorText } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { type AdmissionResponse, errored } from './admission-response.ts';
import { readAdmissionReview, writeAdmissionReview } from './read-admission-review.ts';
import { denialOf } from './denial.ts';
import { BODY_LIMIT, type Webhook, type WebhookResponse, type WebhookCall } from './webhook.ts';

/** The context of a handler. */
export type AdmissionContext = {
  /** Names the path, the object, the user and the request's uid. */
  readonly log: Logger;
  /** Aborted when the caller disconnects, and when the server's graceful stop times out. */
  readonly signal: AbortSignal;
};

/**
 * Decides on one request. An error that it throws denies the request: an `ApiError` with its own status, a `denial` with
 * 403, any other with 500.
 */
export type AdmissionHandler = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => AdmissionResponse | Promise<AdmissionResponse>;

/**
 * Responds to AdmissionReviews as controller-runtime does: an invalid review is denied with HTTP 200, so that the user of
 * the API server gets the message.
 */
export function admissionWebhook(handler: AdmissionHandler): Webhook {
  return async (call) => {
    const problem = problemOf(call);
    if (problem !== undefined) return reject(call.log, problem);
    const review = await readAdmissionReview(call.body as Uint8Array, call.othersFirst);
    if ('problem' in review) return reject(call.log, errored(400, review.problem));
    const { request, apiVersion } = review;
    return {
      status: 200,
      body: writeAdmissionReview(await callHandler(handler, request, call), request.uid, apiVersion),
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

function reject(log: Logger, response: AdmissionResponse): WebhookResponse {
  log.error('bad request', { problem: response.result?.message });
  return { status: 200, body: writeAdmissionReview(response, '', undefined) };
}

async function callHandler(
  handler: AdmissionHandler,
  request: AdmissionRequest,
  call: WebhookCall,
): Promise<AdmissionResponse> {
  const { namespace, name, resource, userInfo, uid } = request;
  const object = namespace === '' ? name : `${namespace}/${name}`;
  call.onObject?.(`${resource.resource} ${object}`);
  const log = call.log.child({
    object,
    resource: resource.resource,
    user: userInfo.username,
    requestID: uid,
  });
  try {
    return await handler(request, { log, signal: call.signal });
  } catch (error) {
    const denied = denialOf(error);
    if (denied !== undefined) return denied;
    call.onPanic();
    log.error('an admission handler failed', { error });
    return errored(500, `panic: ${errorText(error)} [recovered]`);
  }
}
