import type { UserInfo } from '../request/user-info.ts';
import type { HandledRequest, Handler } from '../request/handled-request.ts';
import { requestInfo, type RequestInfo, type ResourceInfo } from '../request/request-info.ts';
import { isCut, type Reply } from '../request/reply.ts';
import { whenReady } from '../request/steps.ts';

/** A request with its response. */
export type RecordedRequest = Partial<Omit<ResourceInfo, 'inNamespace' | 'rest'>> & {
  /** As rules of RBAC name it; of a path that is no resource the HTTP method. */
  readonly verb: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Name of the sender. */
  readonly user: string;
  readonly impersonated?: string;
  /** HTTP status; 0 where the connection was cut instead. */
  readonly status: number;
  /** The first 8192 bytes as text. Never that of a Secret or of anything about tokens. */
  readonly body?: string;
};

/** Requests in the order of their responses, until {@link stop}. */
export type RequestRecording = {
  readonly requests: readonly RecordedRequest[];
  clear(): void;
  stop(): void;
};

export type Recorder = {
  start(): RequestRecording;
  /** The handler, its requests recorded by all running recordings. */
  around(handler: Handler): Handler;
};

const LONGEST_BODY = 8192;
const CONFIDENTIAL = new Set(['secrets', 'tokenreviews', 'token', 'certificatesigningrequests']);

export function createRecorder(): Recorder {
  const running = new Set<RecordedRequest[]>();
  const note = (request: HandledRequest, user: UserInfo, reply: Reply): Reply => {
    const recorded = recordOf(request, user, reply);
    for (const requests of running) requests.push(recorded);
    return reply;
  };
  return {
    start() {
      const requests: RecordedRequest[] = [];
      running.add(requests);
      return {
        requests,
        clear: () => void requests.splice(0),
        stop: () => void running.delete(requests),
      };
    },
    around: (handler) => (request, user) => {
      const reply = handler(request, user);
      return running.size === 0 ? reply : whenReady(reply, (reply) => note(request, user, reply));
    },
  };
}

function recordOf(request: HandledRequest, user: UserInfo, reply: Reply): RecordedRequest {
  const { method, path, headers, body } = request;
  const info = requestInfo(request);
  const impersonated = headers['impersonate-user'];
  return {
    verb: info?.verb ?? method.toLowerCase(),
    method,
    path,
    user: user.username,
    status: isCut(reply) ? 0 : reply.status,
    ...webhookTarget(info),
    ...(typeof impersonated === 'string' ? { impersonated } : {}),
    ...(body.length === 0 || isConfidential(info) ? {} : { body: textOf(body) }),
  };
}

function webhookTarget(info: RequestInfo | undefined): Partial<ResourceInfo> {
  if (info?.resource === undefined) return {};
  const { group, version, namespace, resource, name, subresource } = info.resource;
  return { group, version, namespace, resource, name, subresource };
}

function isConfidential(info: RequestInfo | undefined): boolean {
  const { resource = '', subresource = '' } = info?.resource ?? {};
  return CONFIDENTIAL.has(resource) || CONFIDENTIAL.has(subresource);
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, LONGEST_BODY)).toString();
}
