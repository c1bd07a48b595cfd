import type { TLSSocket } from 'node:tls';
import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../manual-clock.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../testing/test-certificate.ts';
import { type Handler, startProxy, startServer, type TestHttp2Server } from '../testing/test-servers.ts';
import { createHttp2Transport } from './http2-transport.ts';
import { collectBody } from './response-body.ts';
import type { TransportOptions } from './transport-options.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
});

async function serve(handler: Handler, options = {}): Promise<TestHttp2Server> {
  const server = await startServer(handler, options);
  cleanUp.push(() => server.stop());
  return server;
}

function connect(options: TransportOptions): Transport {
  const transport = createHttp2Transport({ ca: TEST_CERTIFICATE, ...options });
  cleanUp.push(() => transport.close());
  return transport;
}

const get = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path,
  headers: {},
  ...more,
});
const textOf = async ({ body }: ApiResponse): Promise<string> =>
  Buffer.from(await collectBody(body, 1e6)).toString();
/** Answers with the request's path. */
const echo: Handler = (request, response) => response.end(request.url);

/** Resolves with what was given to it by whoever it waits for. */
function gate<T>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open: (value) => open(value) };
}

describe('connections', () => {
  it('makes many calls at once over one connection', async () => {
    const server = await serve(echo);
    const transport = connect({ url: server.url });
    const paths = Array.from({ length: 50 }, (_, i) => `/p${i}`);
    const answers = await Promise.all(paths.map(async (path) => textOf(await transport.request(get(path)))));
    expect(answers).toEqual(paths);
    expect(server.sessions).toHaveLength(1);
  });

  it('never has more calls under way than the server allows, and serves those who wait in order', async () => {
    const order: string[] = [];
    let held: (() => void)[] = [];
    let most = 0;
    const server = await serve(
      (request, response) => {
        order.push(request.url);
        held.push(() => response.end());
        most = Math.max(most, held.length);
        // Answers come in pairs; the first call and the last have no partner.
        if (held.length < 2 && order.length !== 1 && order.length !== 10) return;
        const answers = held;
        held = [];
        for (const answer of answers) answer();
      },
      { settings: { maxConcurrentStreams: 2 } },
    );
    const transport = connect({ url: server.url, maxConnections: 1 });
    await textOf(await transport.request(get('/first')));
    const paths = Array.from({ length: 9 }, (_, i) => `/p${i}`);
    await Promise.all(paths.map(async (path) => textOf(await transport.request(get(path)))));
    expect(most).toBe(2);
    expect(order.slice(1)).toEqual(paths);
  });

  it('opens another connection when watches have taken every stream', async () => {
    const server = await serve(
      (request, response) => {
        if (request.url === '/watch') response.write('event\n');
        else response.end(request.url);
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const transport = connect({ url: server.url });
    await textOf(await transport.request(get('/settings-known')));
    const stop = new AbortController();
    await transport.request(get('/watch', { signal: stop.signal }));
    expect(await textOf(await transport.request(get('/other')))).toBe('/other');
    expect(server.sessions).toHaveLength(2);
    stop.abort();
  });

  it('connects again after the connection was lost', async () => {
    const server = await serve(echo);
    const transport = connect({ url: server.url });
    await textOf(await transport.request(get('/a')));
    server.sessions[0]?.destroy();
    // The loss may be seen before the next call or by it.
    const next = await transport.request(get('/b')).then(textOf, (error: { reason: string }) => error.reason);
    expect(['/b', 'ConnectionFailed']).toContain(next);
    expect(await textOf(await transport.request(get('/c')))).toBe('/c');
    expect(server.sessions).toHaveLength(2);
  });

  it('ends calls in flight when it is closed, and makes no new ones', async () => {
    const asked = gate<void>();
    const server = await serve(() => asked.open());
    const transport = connect({ url: server.url });
    const pending = transport.request(get('/a'));
    await asked.opened;
    await transport.close();
    await expect(pending).rejects.toMatchObject({ reason: 'ConnectionFailed' });
    await expect(transport.request(get('/b'))).rejects.toThrow('the transport is closed');
  });

  it('rejects when nobody listens, and works when somebody does later', async () => {
    const server = await startServer(echo);
    await server.stop();
    const transport = connect({ url: server.url });
    const refused = { code: 0, reason: 'ConnectionFailed', retryable: true };
    await expect(transport.request(get('/a'))).rejects.toMatchObject(refused);
    const again = await startServer(echo, {}, server.port);
    cleanUp.push(() => again.stop());
    expect(await textOf(await transport.request(get('/a')))).toBe('/a');
  });

  it('is given up when it is not ready in time', async () => {
    const server = await serve(echo);
    const proxy = await startProxy(server.port);
    cleanUp.push(() => proxy.stop());
    proxy.freeze();
    const clock = createManualClock();
    const transport = connect({ url: proxy.url, clock, connectTimeoutMs: 5000 });
    const refused = expect(transport.request(get('/'))).rejects.toThrow(/no connection to .* within 5000 ms/);
    await clock.advance(5000);
    await refused;
    expect(clock.pending).toBe(0);
  });
});

describe('a server that goes away', () => {
  it('moves to a new connection after GOAWAY, and finishes what was begun on the old one', async () => {
    const held = gate<void>();
    const server = await serve((request, response) => {
      if (request.url !== '/slow') {
        response.end(request.url);
        return;
      }
      response.write('begun, ');
      void held.opened.then(() => response.end('finished'));
    });
    const transport = connect({ url: server.url });
    const slow = await transport.request(get('/slow'));
    const [first] = server.sessions;
    const closed = new Promise((resolve) => first?.on('close', resolve));
    first?.goaway(0, 2 ** 31 - 1);
    const answers: string[] = [];
    while (server.sessions.length < 2) answers.push(await textOf(await transport.request(get('/next'))));
    expect(new Set(answers)).toEqual(new Set(['/next']));
    held.open();
    expect(await textOf(slow)).toBe('begun, finished');
    await closed;
  });

  it('repeats a write that the server refused to begin', async () => {
    let calls = 0;
    const server = await serve((request, response) => {
      calls += 1;
      if (calls < 3) request.stream.close(7);
      else request.pipe(response);
    });
    const transport = connect({ url: server.url });
    const answer = await transport.request({ method: 'POST', path: '/', headers: {}, body: 'once' });
    expect(await textOf(answer)).toBe('once');
    expect(calls).toBe(3);
  });

  it('gives up on a server that refuses everything', async () => {
    const server = await serve((request) => request.stream.close(7));
    await expect(connect({ url: server.url }).request(get('/'))).rejects.toThrow(/keeps going away/);
  });

  it('does not take a body that was cut for a whole one', async () => {
    const server = await serve((request, response) => {
      response.write('half', () => request.stream.session?.destroy());
    });
    const transport = connect({ url: server.url });
    await expect(transport.request(get('/')).then(textOf)).rejects.toMatchObject({
      reason: 'ConnectionFailed',
    });
  });

  it('does not take a stream that was reset for a whole body', async () => {
    const server = await serve((request, response) => {
      response.write('half', () => request.stream.close(8));
    });
    const transport = connect({ url: server.url });
    await expect(transport.request(get('/')).then(textOf)).rejects.toMatchObject({
      reason: 'ConnectionFailed',
    });
  });

  it('finds out by PING that a silent connection is dead', async () => {
    const server = await serve((_request, response) => response.write('event\n'));
    const proxy = await startProxy(server.port);
    cleanUp.push(() => proxy.stop());
    const clock = createManualClock();
    const transport = connect({ url: proxy.url, clock, pingAfterMs: 30_000, pingTimeoutMs: 15_000 });
    const { body } = await transport.request(get('/watch'));
    const events = body[Symbol.asyncIterator]();
    await events.next();
    proxy.freeze();
    const lost = expect(events.next()).rejects.toThrow(/did not answer a PING within 15000 ms/);
    await clock.advance(45_000);
    await lost;
    expect(clock.pending).toBe(0);
  });

  it('keeps a silent connection that answers PINGs', async () => {
    const server = await serve((_request, response) => response.write('event\n'));
    const clock = createManualClock();
    const transport = connect({ url: server.url, clock, pingAfterMs: 30_000, pingTimeoutMs: 15_000 });
    const stop = new AbortController();
    const { body } = await transport.request(get('/watch', { signal: stop.signal }));
    const events = body[Symbol.asyncIterator]();
    await events.next();
    const pinged = new Promise((resolve) => server.sessions[0]?.once('ping', resolve));
    await clock.advance(30_000);
    await pinged;
    // The answer is on its way: the next call comes behind it on the same connection.
    expect((await transport.request(get('/'))).status).toBe(200);
    await clock.advance(14_999);
    expect(server.sessions).toHaveLength(1);
    stop.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

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
        const socket = request.stream.session?.socket as unknown as TLSSocket;
        seen.open(socket.getPeerCertificate().subject.CN as string);
        response.end();
      },
      { requestCert: true, ca: TEST_CERTIFICATE },
    );
    await connect({ url: server.url, cert: TEST_CERTIFICATE, key: TEST_KEY }).request(get('/'));
    expect(await seen.opened).toBe('kubewright test');
  });

  it('sends the token of the moment, and lets go of it after a 401', async () => {
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

describe('ending a call', () => {
  it('before it is sent', async () => {
    const server = await serve(echo);
    const signal = AbortSignal.abort();
    await expect(connect({ url: server.url }).request(get('/', { signal }))).rejects.toMatchObject({
      reason: 'Aborted',
    });
  });

  it('while it waits for a stream', async () => {
    const asked = gate<void>();
    const server = await serve(
      (request, response) => {
        if (request.url === '/first') response.end();
        else asked.open();
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const transport = connect({ url: server.url, maxConnections: 1 });
    await textOf(await transport.request(get('/first')));
    const holding = transport.request(get('/hold')).catch(() => 'ended');
    await asked.opened;
    const stop = new AbortController();
    const waiting = transport.request(get('/waiting', { signal: stop.signal }));
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'Aborted' });
    await transport.close();
    expect(await holding).toBe('ended');
  });

  it('while the answer is awaited, and the server learns of it', async () => {
    const asked = gate<void>();
    const told = gate<number>();
    const server = await serve((request) => {
      asked.open();
      request.stream.on('close', () => told.open(request.stream.rstCode));
    });
    const stop = new AbortController();
    const pending = connect({ url: server.url }).request(get('/', { signal: stop.signal }));
    await asked.opened;
    stop.abort();
    await expect(pending).rejects.toMatchObject({ reason: 'Aborted' });
    expect(await told.opened).toBe(8);
  });

  it('in the middle of a watch: it ends without an error', async () => {
    const server = await serve((_request, response) => response.write('event\n'));
    const stop = new AbortController();
    const { body } = await connect({ url: server.url }).request(get('/', { signal: stop.signal }));
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      stop.abort();
    }
    expect(chunks).toEqual(['event\n']);
  });

  it('by leaving the loop: the server learns of it', async () => {
    const told = gate<number>();
    const server = await serve((request, response) => {
      request.stream.on('close', () => told.open(request.stream.rstCode));
      response.write('event\n');
    });
    const { body } = await connect({ url: server.url }).request(get('/'));
    for await (const _chunk of body) break;
    expect(await told.opened).toBe(8);
  });

  it('that many share one signal warns nobody', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const server = await serve(echo);
    const transport = connect({ url: server.url });
    const { signal } = new AbortController();
    await Promise.all(
      Array.from({ length: 30 }, async () => textOf(await transport.request(get('/', { signal })))),
    );
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('bodies', () => {
  it('arrive whole when nobody reads them at first', async () => {
    const server = await serve((_request, response) => response.end('x'.repeat(300_000)));
    const transport = connect({ url: server.url });
    const response = await transport.request(get('/'));
    // What comes behind it on the same connection is read first.
    expect((await textOf(await transport.request(get('/')))).length).toBe(300_000);
    expect((await textOf(response)).length).toBe(300_000);
  });

  it('beyond the bound are refused, and the call is ended', async () => {
    const told = gate<void>();
    const server = await serve((request, response) => {
      request.stream.on('close', () => told.open());
      response.write('x'.repeat(5000));
    });
    const response = await connect({ url: server.url }).request(get('/'));
    await expect(collectBody(response.body, 4000)).rejects.toMatchObject({ reason: 'TooLarge' });
    await told.opened;
  });
});
