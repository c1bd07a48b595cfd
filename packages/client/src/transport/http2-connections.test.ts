import { describe, expect, it } from 'vitest';
import { createManualClock } from '@kubewright/kube';
import { startProxy, startServer } from '../testing/test-servers.ts';
import { echo, gate, get, http2Bench, textOf } from './testing/http2-bench.ts';

const { cleanUp, connect, serve } = http2Bench();

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
    await expect(connect({ url: server.url }).request(get('/'))).rejects.toThrow(
      /closes each connection without a response/,
    );
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
