import { describe, expect, it } from 'vitest';
import { collectBody } from './response-body.ts';
import { echo, gate, get, http2Bench, textOf } from './testing/http2-bench.ts';

const { connect, serve } = http2Bench();

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

  it.each(['hello', ''])('of %j are whole when they are complete before they are read', async (text) => {
    const server = await serve((_request, response) => response.end(text));
    const transport = connect({ url: server.url });
    const read = await transport.request(get('/read'));
    const iterated = await transport.request(get('/iterated'));
    // What comes behind them on the same connection has arrived, and so have they.
    await textOf(await transport.request(get('/')));
    const chunks: Uint8Array[] = [];
    for await (const chunk of iterated.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(text);
    expect(await textOf(read)).toBe(text);
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
