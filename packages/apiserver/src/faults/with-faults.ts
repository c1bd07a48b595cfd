import { type Clock, stringifyJson } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import type { HandledRequest, Handler } from '../request/handled-request.ts';
import { requestInfo } from '../request/request-info.ts';
import { failure, localError, statusJson } from '../api-server-error.ts';
import { CUT, type Reply, statusReply } from '../request/reply.ts';
import { whenReady } from '../request/steps.ts';
import type { ServerFault } from './fault-rule.ts';
import type { FaultSet } from './faults.ts';

/** The handler with the faults that its requests are to meet. */
export function withFaults(handler: Handler, faults: FaultSet, clock: Clock): Handler {
  return (request, user) => {
    const fault = faults.next(() => requestInfo(request), user);
    const respond = (): Reply | Promise<Reply> => handler(request, user);
    return fault === undefined ? respond() : failed(fault, request, respond, clock);
  };
}

function failed(
  fault: ServerFault,
  request: HandledRequest,
  respond: () => Reply | Promise<Reply>,
  clock: Clock,
): Reply | Promise<Reply> {
  switch (fault.type) {
    case 'status':
      return errorReply(fault, request);
    case 'delay':
      return new Promise<void>((resolve) => void clock.after(fault.ms, resolve, { background: true })).then(
        respond,
      );
    case 'cut':
      return fault.when === 'before' ? CUT : whenReady(respond(), lost);
    case 'cutBody':
      return whenReady(respond(), (reply) => ({ ...reply, body: cutAfter(reply.body, fault.afterBytes) }));
  }
}

/** Ends a watch whose response is lost. */
function lost({ body }: Reply): Reply {
  if ('return' in body)
    detach(
      () => body.return?.(),
      () => undefined,
    );
  return CUT;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function errorReply(fault: Extract<ServerFault, { type: 'status' }>, request: HandledRequest): Reply {
  const { code, retryAfterSeconds } = fault;
  const reason = fault.reason ?? REASONS[code] ?? 'InternalError';
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  const { status } = failure(code, reason, fault.message ?? `injected fault: ${reason}`, details);
  // A watch that is accepted reports a compacted revision as an event.
  if (code !== 410 || requestInfo(request)?.verb !== 'watch') return statusReply(status);
  const line = `{"type":"ERROR","object":${stringifyJson(statusJson(status))}}\n`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body: [Buffer.from(line)] };
}

async function* cutAfter(body: Reply['body'], bytes: number): AsyncGenerator<Uint8Array, undefined> {
  let left = bytes;
  for await (const chunk of body) {
    if (chunk.length >= left) {
      yield chunk.subarray(0, left);
      break;
    }
    left -= chunk.length;
    yield chunk;
  }
  throw localError('ConnectionReset', 'injected fault: the response was cut off');
}
