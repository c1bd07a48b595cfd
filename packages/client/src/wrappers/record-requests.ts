import type { ApiRequest, Transport } from '@kubewright/kube';

/** A recorded request. `status` is 0 when there was no response. */
export type RecordedRequest = {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly headers: ApiRequest['headers'];
  readonly body: string | undefined;
  readonly status: number;
};

export type RecordingTransport = Transport & {
  /** In the order of their responses. */
  readonly requests: readonly RecordedRequest[];
  /** The writes: all but GET, HEAD and OPTIONS, dry runs included. */
  writes(): readonly RecordedRequest[];
  clear(): void;
};

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Records every request, for tests of what is sent and what is not. */
export function recordRequests(transport: Transport): RecordingTransport {
  const requests: RecordedRequest[] = [];
  const record = (request: ApiRequest, status: number): void => {
    const { method, path, headers, body } = request;
    const text = body === undefined || typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
    requests.push({ method, path, headers, body: text, status });
  };
  return {
    requests,
    writes: () => requests.filter(({ method }) => !READS.has(method)),
    clear: () => void requests.splice(0),
    async request(request) {
      try {
        const response = await transport.request(request);
        record(request, response.status);
        return response;
      } catch (error) {
        record(request, 0);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
