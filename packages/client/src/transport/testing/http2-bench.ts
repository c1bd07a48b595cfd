import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { afterEach } from 'vitest';
import { TEST_CERTIFICATE } from '../../testing/test-certificate.ts';
import { type Handler, startServer, type TestHttp2Server } from '../../testing/test-servers.ts';
import { createHttp2Transport } from '../create-http2-transport.ts';
import { collectBody } from '../response-body.ts';
import type { TransportOptions } from '../transport-options.ts';

/** Servers and transports of a suite, closed after the test that started them. */
export type Http2Bench = {
  readonly serve: (handler: Handler, options?: object) => Promise<TestHttp2Server>;
  readonly connect: (options: TransportOptions) => Transport;
  /** Other things to close, last first. */
  readonly cleanUp: (() => Promise<void>)[];
};

/** Registers what the suite needs after its tests. */
export function http2Bench(): Http2Bench {
  const cleanUp: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const clean of cleanUp.splice(0).reverse()) await clean();
  });
  return {
    cleanUp,
    async serve(handler, options = {}) {
      const server = await startServer(handler, options);
      cleanUp.push(() => server.stop());
      return server;
    },
    connect(options) {
      const transport = createHttp2Transport({ ca: TEST_CERTIFICATE, ...options });
      cleanUp.push(() => transport.close());
      return transport;
    },
  };
}

export const get = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path,
  headers: {},
  ...more,
});
export const textOf = async ({ body }: ApiResponse): Promise<string> =>
  Buffer.from(await collectBody(body, 1e6)).toString();
/** Responds with the request's path. */
export const echo: Handler = (request, response) => response.end(request.url);

/** A promise that the test resolves. */
export function gate<T>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open: (value) => open(value) };
}
