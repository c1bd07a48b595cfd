import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** What is wrong with a source of metrics. */
type Trouble = {
  /** Whoever asks for something with another one is rejected. */
  token: string;
  /** For so many seconds it has had no samples. What is asked of it without an offset has faded to 0. */
  behind: number;
  /** What it has not read. */
  warning?: string | undefined;
};

export type TroubledSource = { readonly url: () => string; readonly trouble: Trouble };

type Answer = {
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
};

/** For the tests of the current suite: another source, of one tenant, with something wrong. */
export function useTroubledSource(prometheusUrl: () => string, tenant: string): TroubledSource {
  const trouble: Trouble = { token: '', behind: 0 };
  const server = createServer((request, response) => {
    const { authorization, 'x-scope-orgid': organization } = request.headers;
    if (authorization !== `Bearer ${trouble.token}` || organization !== tenant) {
      response.writeHead(401).end('unauthorized');
      return;
    }
    void respond(request, prometheusUrl(), trouble).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => response.writeHead(502).end(),
    );
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`, trouble };
}

async function respond(
  request: IncomingMessage,
  prometheusUrl: string,
  { behind, warning }: Trouble,
): Promise<{ readonly status: number; readonly body: string }> {
  const query = await queryOf(request);
  const asked = await fetch(`${prometheusUrl}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
  const { data, ...rest } = (await asked.json()) as Answer;
  const change = changeOf(query, behind);
  const result = data?.result.map(({ value: [time, value], ...series }) => ({
    ...series,
    value: [time, String(change(Number(value)))],
  }));
  const warnings = warning === undefined ? {} : { warnings: [warning] };
  return { status: asked.status, body: JSON.stringify({ ...rest, ...warnings, data: { ...data, result } }) };
}

function changeOf(query: string, behind: number): (value: number) => number {
  if (query.startsWith('time() - ')) return (age) => age + behind;
  const hasFaded = behind > 0 && query.includes('increase(') && !query.includes(' offset ');
  return (value) => (hasFaded ? 0 : value);
}

/** In the address, or in the body where it is long. */
async function queryOf(request: IncomingMessage): Promise<string> {
  const { searchParams } = new URL(request.url ?? '/', 'http://source');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  return searchParams.get('query') ?? form.get('query') ?? '';
}
