import { defined, type JsonObject, type Status } from '@kubewright/kube';
import { quoteGo } from '@kubewright/kube/validation';
import { maybeObject, numberAt, stringAt } from '../../objects/read.ts';
import { ApiServerError, badRequest, failure, internalError } from '../../api-server-error.ts';
import type { ResourceRequest } from '../../rest/resource-request.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { callHook, type HookClientContext } from './call-hook.ts';
import type { Invocation } from './invocation.ts';
import type { HookResponse } from './read-response.ts';

/** All the time that a request has, in milliseconds; the real server's `requestTimeoutUpperBound`. */
const REQUEST_TIME = 34_000;

/** Which webhooks may see a dry run. */
const HARMLESS = new Set(['None', 'NoneOnDryRun']);

export type InvokeOptions = {
  readonly mutating: boolean;
  /** Called where the call failed and failurePolicy is Ignore. */
  readonly onFailedOpen: () => void;
};

/**
 * Calls a webhook, and adds its warnings and audit annotations to the request. Undefined: the call failed, and its
 * failurePolicy is Ignore. Throws the webhook's denial, or that the call failed.
 */
export async function invokeHook(
  caller: HookClientContext,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  { mutating, onFailedOpen }: InvokeOptions,
): Promise<HookResponse | undefined> {
  const { hook } = invocation;
  const { request, dryRun } = attributes;
  if (dryRun && !HARMLESS.has(hook.sideEffects))
    throw badRequest(`admission webhook ${quoteGo(hook.name)} does not support dry run`);
  const left = timeLeft(caller, request);
  const ms = Math.min(hook.timeoutSeconds * 1000, left);
  const response = await callHook(caller, invocation, attributes, { ms, mutating });
  if ('fault' in response) {
    const why = `failed calling webhook ${quoteGo(hook.name)}: ${response.fault}`;
    if (hook.failurePolicy !== 'Ignore') throw internalError(why);
    onFailedOpen();
    if (isTimedOut(caller, request)) throw requestTimeout();
    return undefined;
  }
  for (const [key, text] of response.annotations) request.annotate(`${hook.name}/${key}`, text);
  request.warnings.push(...response.warnings);
  if (!response.allowed) throw denial(hook.name, response.result);
  return response;
}

/** A deleted collection may take longer than anything else. */
function timeLeft({ clock }: HookClientContext, { receivedAt, inCollection }: ResourceRequest): number {
  return inCollection === true ? Infinity : receivedAt + REQUEST_TIME - clock.now();
}

/** Nobody waits for the request any more. */
export function isTimedOut(caller: HookClientContext, request: ResourceRequest): boolean {
  return request.signal()?.aborted === true || timeLeft(caller, request) <= 0;
}

export function requestTimeout(): ApiServerError {
  return failure(504, 'Timeout', 'Timeout: request did not complete within requested timeout', {});
}

/** A webhook's denial: its own Status, with the webhook named and nothing in it that looks like success. */
function denial(name: string, result: JsonObject = {}): ApiServerError {
  const [message, reason, status] = ['message', 'reason', 'status'].map((key) => stringAt(result, key));
  const by = `admission webhook ${quoteGo(name)} denied the request`;
  const why = message === '' ? reason : message;
  return new ApiServerError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: status === '' || status === 'Success' ? 'Failure' : status,
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    ...(reason === '' ? {} : { reason }),
    ...detailsOf(result),
    code: Math.max(numberAt(result, 'code'), 400),
  } as Status);
}

function detailsOf(result: JsonObject): { details?: JsonObject } {
  const details = maybeObject(result, 'details');
  if (details === undefined) return {};
  const known = ['name', 'group', 'kind', 'uid', 'causes', 'retryAfterSeconds'];
  const kept = known.map((key) => [key, details[key]] as const);
  return { details: defined(Object.fromEntries(kept)) };
}
