import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@kubewright/client';
import { x509Issuer } from '@kubewright/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../../test/support/use-folder.ts';
import { readSettings } from '../settings.ts';
import { prometheus } from './prometheus.ts';
import { failedRead } from './read-load.ts';
import { sourceOptions } from './source-options.ts';

const { signal } = new AbortController();
const EMPTY = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } });
const folder = useFolder();
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** A source that keeps the requests that it gets, and one that answers each like this. */
async function recording(): Promise<{ readonly requests: IncomingMessage[]; readonly url: string }> {
  const requests: IncomingMessage[] = [];
  const answer: RequestListener = (request, response) => {
    requests.push(request);
    response.setHeader('connection', 'close').end(EMPTY);
  };
  return { requests, url: `http://127.0.0.1:${await listening(createServer(answer))}` };
}

async function responding(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) =>
    response.writeHead(status, { connection: 'close' }).end(body),
  );
  return `http://127.0.0.1:${await listening(server)}`;
}

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The source that these settings of the process name. */
function sourceAt(url: string, env: Readonly<Record<string, string>> = {}) {
  const options = sourceOptions(readSettings({ OPRC_CRM_PROM_URL: url, ...env }));
  return prometheus({ ...(options ?? expect.fail('no source')), clock: systemClock });
}

describe('CRT-A40 credentials of a source are in files', () => {
  test('a bearer token and a tenant are sent, as they are in their files at each query', async () => {
    const { requests, url } = await recording();
    const env = {
      OPRC_CRM_PROM_TOKEN_FILE: fileWith('token', 'first\n'),
      OPRC_CRM_PROM_TENANT_FILE: fileWith('tenant', 'shop|cart\n'),
    };
    const source = sourceAt(`${url}/prometheus/`, env);
    await source.query('up', signal);
    fileWith('token', 'second');
    fileWith('tenant', 'other');
    await source.query('up', signal);
    const sent = requests.map(({ headers }) => [headers.authorization, headers['x-scope-orgid']]);
    expect(sent).toEqual([
      ['Bearer first', 'shop|cart'],
      ['Bearer second', 'other'],
    ]);
    expect(requests[0]?.url).toMatch(/^\/prometheus\/api\/v1\/query\?query=up/);
  });

  test('a file that cannot be read, or has no one word, is said by its setting, and not what is in it', async () => {
    const { requests, url } = await recording();
    const read = (path: string) => sourceAt(url, { OPRC_CRM_PROM_TOKEN_FILE: path }).query('up', signal);
    await expect(read(join(folder, 'none'))).rejects.toThrow(
      /^OPRC_CRM_PROM_TOKEN_FILE: cannot read .*ENOENT/,
    );
    await expect(read(fileWith('two', 'sec ret'))).rejects.toThrow(
      /^OPRC_CRM_PROM_TOKEN_FILE: .*two has not one word$/,
    );
    await expect(read(fileWith('line', 'secret\r\nHost: x'))).rejects.toThrow('has not one word');
    expect(requests).toEqual([]);
  });

  test('its own authority is trusted, also after it was renewed; without it, the next step is said', async () => {
    const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 600_000 };
    const issue = async () => {
      const authority = await x509Issuer.authority(validity);
      return { ca: authority.cert, leaf: await x509Issuer.leaf(authority, ['127.0.0.1'], validity) };
    };
    const { ca, leaf } = await issue();
    const server = createTlsServer(leaf, (_request, response) =>
      response.setHeader('connection', 'close').end(EMPTY),
    );
    const url = `https://127.0.0.1:${await listening(server)}`;
    const source = sourceAt(url, { OPRC_CRM_PROM_CA_FILE: fileWith('ca', ca) });
    expect(await source.query('up', signal)).toEqual({ series: [] });
    const renewed = await issue();
    server.setSecureContext(renewed.leaf);
    const unknown = /Prometheus cannot be reached: .*: OPRC_CRM_PROM_CA_FILE names a file/;
    await expect(source.query('up', signal)).rejects.toThrow(unknown);
    await expect(sourceAt(url).query('up', signal)).rejects.toThrow(unknown);
    fileWith('ca', renewed.ca);
    expect(await source.query('up', signal)).toEqual({ series: [] });
  });
});

test('CRT-A41 VictoriaMetrics is asked for what it has now, not as of 30 seconds ago', async () => {
  const { requests, url } = await recording();
  await sourceAt(`${url}/?dedup=true`).query('up', signal);
  expect(requests[0]?.url).toBe('/api/v1/query?dedup=true&query=up&nocache=1');
});

test('CRT-A45 a query that is too long for the head of a request is in its body', async () => {
  let sent = '';
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (sent += chunk.toString()));
    request.on('end', () => response.setHeader('connection', 'close').end(EMPTY));
  });
  const query = `up{pod=~"${'a-pod-of-many|'.repeat(800)}"}`;
  await sourceAt(`http://127.0.0.1:${await listening(server)}/?dedup=true`).query(query, signal);
  expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({ dedup: 'true', query, nocache: '1' });
});

describe('CRT-A42 an answer that is an error says what to do next', () => {
  test.each([
    [
      422,
      '{"status":"error","errorType":"execution","error":"unavailable with Prometheus Agent"}',
      /an agent answers no queries/,
    ],
    [401, 'no org id', /OPRC_CRM_PROM_TENANT_FILE/],
    [401, 'Unauthorized\n', /^Prometheus responded 401: OPRC_CRM_PROM_TOKEN_FILE/],
    [403, 'Forbidden (user=system:serviceaccount:a:b, verb=get)', /cluster-monitoring-view/],
    [404, '404 page not found', /the path before \/api\/v1/],
    [400, 'unsupported path requested: "/api/v1/query"', /the path before \/api\/v1/],
    [400, 'Client sent an HTTP request to an HTTPS server.\n', /begin with https/],
    [302, '', /redirects are not followed/],
    [
      422,
      '{"status":"error","errorType":"execution","error":"receive series from store 10.0.0.7: away"}',
      /^Prometheus responded 422: receive series from store 10\.0\.0\.7: away: it could not read all/,
    ],
    [
      400,
      '{"status":"error","errorType":"bad_data","error":"parse error"}',
      /^Prometheus responded 400: parse error$/,
    ],
  ])('%d %s', async (status, body, message) => {
    const error: unknown = await sourceAt(await responding(status, body))
      .query('up', signal)
      .catch((it: unknown) => it);
    expect(failedRead(error)).toEqual({
      reason: 'PrometheusQueryFailed',
      message: expect.stringMatching(message) as string,
    });
  });

  test('TLS where the source has none', async () => {
    const url = (await responding(200, EMPTY)).replace('http:', 'https:');
    const error: unknown = await sourceAt(url)
      .query('up', signal)
      .catch((it: unknown) => it);
    expect(failedRead(error)).toEqual({
      reason: 'PrometheusUnreachable',
      message: expect.stringContaining('begin with http://') as string,
    });
  });
});
