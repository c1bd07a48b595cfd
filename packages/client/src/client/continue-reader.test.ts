import { afterEach, expect, it } from 'vitest';
import type { Http2ServerResponse } from 'node:http2';
import { startServer, type TestHttp2Server } from '../testing/test-servers.ts';
import { TEST_CERTIFICATE } from '../testing/test-certificate.ts';
import { createHttp2Transport } from '../transport/create-http2-transport.ts';
import { createClient } from './create-client.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;
const HEAD = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"abc",';
const REST = '"remainingItemCount":1},"items":[]}\n';

let server: TestHttp2Server | undefined;
afterEach(() => server?.stop());

async function list(answer: (response: Http2ServerResponse) => void, onContinue: (token: string) => void) {
  server = await startServer((_, response) => answer(response));
  const transport = createHttp2Transport({ url: server.url, ca: TEST_CERTIFICATE });
  try {
    return await createClient(transport).list(pods, { onContinue });
  } finally {
    await transport.close();
  }
}

it('tells the next page while the present one is still on its way', async () => {
  let end = (): void => undefined;
  const told: string[] = [];
  const page = await list(
    (response) => {
      response.setHeader('content-type', 'application/json');
      response.write(HEAD);
      end = () => response.end(REST);
    },
    (token) => {
      told.push(token);
      end();
    },
  );
  expect(told).toEqual(['abc']);
  expect(page).toMatchObject({ continue: 'abc', resourceVersion: '7' });
});

it('tells nothing of a refusal, which names a token of another list', async () => {
  const told: string[] = [];
  const status =
    '{"kind":"Status","apiVersion":"v1","metadata":{"continue":"abc"},"code":410,"reason":"Expired"}';
  const refused = list(
    (response) => {
      response.statusCode = 410;
      response.end(status);
    },
    (token) => told.push(token),
  );
  await expect(refused).rejects.toMatchObject({ code: 410 });
  expect(told).toEqual([]);
});
