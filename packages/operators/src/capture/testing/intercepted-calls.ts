import { type Clock, systemClock } from '@kubewright/client';
import {
  type ApiRequest,
  type ApiResponse,
  type KubeObject,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';
import type { OperatorTime } from '../../kit/testing/use-operator.ts';

type Call = Pick<ApiRequest, 'method' | 'path'>;
/** What becomes of a call: `pass` sends it to the server. */
type Handling = (pass: () => Promise<ApiResponse>, request: ApiRequest) => Promise<ApiResponse>;
type Rule = { readonly method: string; readonly path: RegExp; readonly handling: Handling; left: number };

/** What happens between an operator and its server, which may be any. */
export type InterceptedCalls = {
  /** For `useOperator`. */
  readonly time: OperatorTime;
  /** All calls that were made, with the status of the response; 0 for those without one. */
  readonly made: readonly (Call & { readonly status: number })[];
  /** The next calls that match, `times` of them, are handled so. Returns how to end that. */
  on(
    call: { readonly method: string; readonly path: RegExp },
    handling: Handling,
    times?: number,
  ): () => void;
};

/** Lets a test see, hold, fail and change the calls of an operator. */
export function interceptCalls(clock: Clock = systemClock): InterceptedCalls {
  const rules: Rule[] = [];
  const made: (Call & { readonly status: number })[] = [];
  const handled = (request: ApiRequest, pass: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    const rule = rules.find(
      ({ method, path, left }) => left > 0 && method === request.method && path.test(request.path),
    );
    if (rule === undefined) return pass();
    rule.left -= 1;
    return rule.handling(pass, request);
  };
  const pacedBy = (way: Transport): Transport => ({
    async request(request) {
      const { method, path } = request;
      const entry = { method, path, status: 0 };
      made.push(entry);
      const response = await handled(request, () => way.request(request));
      entry.status = response.status;
      return response;
    },
    close: () => way.close(),
  });
  return {
    made,
    time: { clock, pacedBy, run: () => Promise.resolve() },
    on({ method, path }, handling, times = Number.POSITIVE_INFINITY) {
      const rule = { method, path, handling, left: times };
      rules.push(rule);
      return () => void (rule.left = 0);
    },
  };
}

/** As the server fails. */
export function failWith(
  code: number,
  reason: string,
  message = `injected: ${reason}`,
  name?: string,
): Handling {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message,
    ...(name !== undefined && { details: { name } }),
  };
  return () => Promise.resolve(jsonResponse(code, stringifyJson(status)));
}

function jsonResponse(status: number, text: string): ApiResponse {
  const body = (async function* () {
    yield Buffer.from(text);
  })();
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** The server's response, with another body. */
export function changeBody(change: (text: string) => string): Handling {
  return async (pass) => {
    const { status, body } = await pass();
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    return jsonResponse(status, change(Buffer.concat(parts).toString()));
  };
}

/** Runs `action` while the first of the calls is on its way. */
export function after(action: (request: ApiRequest) => Promise<unknown>): Handling {
  return async (pass, request) => {
    await action(request);
    return pass();
  };
}

/** The object that a call sends. */
export function sentObject({ body }: ApiRequest): KubeObject {
  return JSON.parse(String(body)) as KubeObject;
}

/** Handles only the calls that are meant: the others pass. */
export function only(isMeant: (request: ApiRequest) => boolean, handling: Handling): Handling {
  return (pass, request) => (isMeant(request) ? handling(pass, request) : pass());
}
