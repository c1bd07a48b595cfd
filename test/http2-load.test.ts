import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedServer } from './servers/embedded.ts';
import type { TestServer } from './servers/test-server.ts';
import { call } from './support/api.ts';
import { http2Transport } from './support/http2-transport.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startEmbeddedServer();
});
afterAll(() => server.stop());

test('one connection carries many large lists at a time', async () => {
  const transport = http2Transport(server.url, server.caCert, server.token);
  const path = '/api/v1/namespaces/default/configmaps';
  for (let index = 0; index < 8; index++) {
    const metadata = { name: `large-${index}` };
    const data = { text: 'x'.repeat(200_000) };
    await call(transport, 'POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }
  const lists = await Promise.all(Array.from({ length: 32 }, () => call(transport, 'GET', path)));
  await transport.close();
  expect(lists.map(({ status, body }) => [status, (body['items'] as unknown[]).length])).toEqual(
    Array.from({ length: 32 }, () => [200, 8]),
  );
});
