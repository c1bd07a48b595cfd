import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../testing/test-certificate.ts';
import { createHttp2Transport } from './create-http2-transport.ts';
import { echo, gate, get, http2Bench, textOf } from './testing/http2-bench.ts';
import type { TransportOptions } from './transport-options.ts';

const { cleanUp, connect, serve } = http2Bench();

describe('who the server is', () => {
  it.each<[string, Partial<TransportOptions>, string]>([
    ['its certificate is not signed by anybody who is trusted', {}, 'ConnectionFailed'],
    ['nobody checks', { insecureSkipTlsVerify: true }, 'ok'],
    ['it has the name that is asked for', { ca: TEST_CERTIFICATE, serverName: 'api.test' }, 'ok'],
    ['it has another name', { ca: TEST_CERTIFICATE, serverName: 'other.test' }, 'ConnectionFailed'],
  ])('when %s', async (_title, options, expected) => {
    const server = await serve(echo);
    const transport = createHttp2Transport({ url: server.url, ...options });
    cleanUp.push(() => transport.close());
    const outcome = await transport.request(get('/')).then(
      () => 'ok',
      (error: { reason: string }) => error.reason,
    );
    expect(outcome).toBe(expected);
  });

  it('asks for rotated certificates on each new connection', async () => {
    const server = await serve(echo);
    let asked = 0;
    const transport = createHttp2Transport({
      url: server.url,
      tls: () => {
        asked += 1;
        return { ca: TEST_CERTIFICATE };
      },
    });
    cleanUp.push(() => transport.close());
    await transport.request(get('/')).then(textOf);
    await transport.request(get('/')).then(textOf);
    expect(asked).toBe(1);
    const closed = new Promise((resolve) => server.sessions[0]?.on('close', resolve));
    server.sessions[0]?.close();
    await closed;
    await transport.request(get('/')).then(textOf);
    expect(asked).toBe(2);
  });
});

describe('who calls', () => {
  it('shows a client certificate', async () => {
    const seen = gate<string>();
    const server = await serve(
      (request, response) => {
        const socket = request.stream.session?.socket as TLSSocket;
        seen.open(socket.getPeerCertificate().subject.CN as string);
        response.end();
      },
      { requestCert: true, ca: TEST_CERTIFICATE },
    );
    await connect({ url: server.url, cert: TEST_CERTIFICATE, key: TEST_KEY }).request(get('/'));
    expect(await seen.opened).toBe('kubewright test');
  });

  it('sends the current token, and drops it after a 401', async () => {
    const seen: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.statusCode = seen.length === 1 ? 401 : 200;
      response.end();
    });
    let generation = 1;
    const authorizer = { header: async () => `Bearer ${generation}`, reset: () => void (generation += 1) };
    const transport = connect({ url: server.url, authorizer });
    expect((await transport.request(get('/'))).status).toBe(401);
    expect((await transport.request(get('/'))).status).toBe(200);
    expect(seen).toEqual(['Bearer 1', 'Bearer 2']);
  });

  it('shows a new certificate after a 401, without ending what is under way', async () => {
    const held = gate<void>();
    const server = await serve((request, response) => {
      response.statusCode = request.url === '/refused' ? 401 : 200;
      if (request.url !== '/watch') response.end();
      else {
        response.write('begun, ');
        void held.opened.then(() => response.end('finished'));
      }
    });
    let asked = 0;
    const tls = () => {
      asked += 1;
      return { ca: TEST_CERTIFICATE };
    };
    const transport = connect({ url: server.url, tls });
    const watch = await transport.request(get('/watch'));
    expect((await transport.request(get('/refused'))).status).toBe(401);
    expect((await transport.request(get('/'))).status).toBe(200);
    expect(asked).toBe(2);
    held.open();
    expect(await textOf(watch)).toBe('begun, finished');
  });

  it('sends a base path, a user agent, and lists of headers apart', async () => {
    const seen = gate<object>();
    const server = await serve((request, response) => {
      seen.open({ url: request.url, raw: request.rawHeaders, agent: request.headers['user-agent'] });
      response.end();
    });
    const transport = connect({ url: `${server.url}/k8s/clusters/c1/`, userAgent: 'test/1', token: 't' });
    await transport.request(get('/api', { headers: { 'impersonate-group': ['a', 'b,c'] } }));
    const { url, raw, agent } = (await seen.opened) as { url: string; raw: string[]; agent: string };
    expect(url).toBe('/k8s/clusters/c1/api');
    expect(agent).toBe('test/1');
    expect(raw.filter((_, i) => raw[i - 1] === 'impersonate-group')).toEqual(['a', 'b,c']);
  });
});
