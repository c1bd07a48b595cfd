import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A source of metrics that counts what it is asked, and has one value for each pod in a query. */
export type CountingSource = {
  readonly url: string;
  /** How many queries there were until now. */
  queries(): number;
  stop(): Promise<void>;
};

/** As PromQL names pods: `pod=~"a|b"`. */
const PODS = /pod=~"([^"]*)"/;

export async function startCountingSource(): Promise<CountingSource> {
  let queries = 0;
  const server = createServer((request, response) => {
    queries += 1;
    void queryOf(request).then((query) => {
      const [, names = ''] = PODS.exec(query) ?? [];
      const pods = names.split('|').filter((name) => name !== '');
      const result = pods.map((pod) => ({ metric: { pod }, value: [Date.now() / 1000, '1'] }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    queries: () => queries,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** In the address, or in the body where it is long. */
async function queryOf(request: IncomingMessage): Promise<string> {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  return searchParams.get('query') ?? form.get('query') ?? '';
}
