import {
  type ApiRequest,
  type ApiResponse,
  type Clock,
  sleep,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import { discardBody } from '../transport/response-body.ts';

/** A fault to inject into a call. */
export type Fault =
  /** The call never reaches the server. */
  | { readonly type: 'lostRequest' }
  /** The request takes effect, and its response is lost. */
  | { readonly type: 'lostResponse' }
  /** A proxy or load balancer responds in the server's place. */
  | {
      readonly type: 'status';
      readonly status: number;
      readonly reason: string;
      readonly retryAfterSeconds?: number;
    }
  /** The response is cut off after this many bytes: a watch in the middle of an event. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** The request is delayed. */
  | { readonly type: 'delay'; readonly ms: number; readonly clock: Clock };

/** The fault of each call; `undefined` for none. */
export type FaultPlan = (request: ApiRequest) => Fault | undefined;

/** Injects the faults of `plan`: the ways in which a network and a server fail a client. */
export function injectFaults(transport: Transport, plan: FaultPlan): Transport {
  return {
    async request(request) {
      const fault = plan(request);
      return fault === undefined ? transport.request(request) : broken(transport, request, fault);
    },
    close: () => transport.close(),
  };
}

async function broken(transport: Transport, request: ApiRequest, fault: Fault): Promise<ApiResponse> {
  switch (fault.type) {
    case 'lostRequest':
      throw localError('ConnectionFailed', 'injected: the request was lost');
    case 'lostResponse':
      await discardBody((await transport.request(request)).body);
      throw localError('ConnectionFailed', 'injected: the response was lost');
    case 'status':
      return failed(fault);
    case 'cut': {
      const response = await transport.request(request);
      return { ...response, body: cut(response.body, fault.afterBytes) };
    }
    case 'delay':
      await sleep(fault.clock, fault.ms, request.signal);
      return transport.request(request);
  }
}

async function* cut(body: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array, void> {
  let left = bytes;
  for await (const chunk of body) {
    if (chunk.length > left) {
      yield chunk.subarray(0, left);
      throw localError('ConnectionFailed', 'injected: the response was cut off');
    }
    left -= chunk.length;
    yield chunk;
  }
}

function failed({ status, reason, retryAfterSeconds }: Extract<Fault, { type: 'status' }>): ApiResponse {
  const text = stringifyJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `injected: ${reason}`,
    reason,
    code: status,
  });
  return {
    status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}
