import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { createSecureContext, connect as tlsConnect } from 'node:tls';
import { createManualClock, systemClock } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { allowed } from './admission-response.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { ask, HOST, JSON_TYPE, review, webhookBench } from './testing/webhook-bench.ts';

const { serve, session } = webhookBench();

describe('a webhook server', () => {
  it('changes its certificate under open connections, which go on', async () => {
    const running = await serve({ '/any': admissionWebhook(() => allowed()) });
    const old = session(running);
    const before = await ask(old, '/any', review({}));
    await running.rotate();
    expect(await ask(old, '/any', review({}))).toEqual(before);
    expect(await ask(session(running), '/any', review({}))).toEqual(before);
  });

  it('speaks HTTP/1.1 with those who know nothing else', async () => {
    const running = await serve({ '/any': admissionWebhook(() => allowed()) });
    const agent = new Agent({ keepAlive: true, ca: running.ca() });
    const call = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const options = {
          host: HOST,
          port: running.port,
          path: '/any',
          method: 'POST',
          headers: JSON_TYPE,
          agent,
        };
        const made = httpsRequest(options, (response) => {
          response.setEncoding('utf8');
          let text = '';
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(text));
        });
        made.on('error', reject);
        made.end(review({}));
      });
    expect(JSON.parse(await call())).toMatchObject({ response: { uid: 'u1', allowed: true } });
    expect(JSON.parse(await call())).toMatchObject({ response: { uid: 'u1', allowed: true } });
    // The idle connection is kept by the agent, and does not keep the server.
    running.stop.abort();
    await running.ended;
    agent.destroy();
  });

  it('DRF-74 has callers over HTTP/1.1 take another connection before it closes theirs', async () => {
    const running = await serve({ '/any': admissionWebhook(() => allowed()) });
    const agent = new Agent({ keepAlive: true, ca: running.ca() });
    const connection = async (): Promise<string | undefined> => {
      const options = { host: HOST, port: running.port, path: '/any', method: 'POST', agent };
      const made = httpsRequest({ ...options, headers: JSON_TYPE });
      made.end(review({}));
      const [response] = (await once(made, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return response.headers.connection;
    };
    expect(await connection()).toBe('keep-alive');
    running.server.retire();
    expect(await connection()).toBe('close');
    running.stop.abort();
    await running.ended;
    agent.destroy();
  });

  it('passes on each value of a repeated header', async () => {
    let seen: unknown;
    const running = await serve({
      '/any': async ({ headers }) => {
        seen = headers['x-remote-group'];
        return { status: 200, body: '{}' };
      },
    });
    const groups = ['a, b', 'c'];
    const call = session(running).request({ ':path': '/any', ':method': 'POST', 'x-remote-group': groups });
    call.end('{}').resume();
    await once(call, 'close');
    expect(seen).toEqual(groups);
    const agent = new Agent({ ca: running.ca() });
    const options = { host: HOST, port: running.port, path: '/any', method: 'POST', agent };
    const made = httpsRequest({ ...options, headers: { 'x-remote-group': groups.toReversed() } });
    made.end('{}');
    const [response] = (await once(made, 'response')) as [NodeJS.ReadableStream];
    await once(response.resume(), 'end');
    expect(seen).toEqual(groups.toReversed());
    agent.destroy();
  });

  it('finishes what is under way when it stops, and takes nothing new', async () => {
    let [asked, decide]: [() => void, () => void] = [() => undefined, () => undefined];
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const decided = new Promise<void>((resolve) => (decide = resolve));
    const running = await serve({
      '/slow': admissionWebhook(async () => {
        asked();
        await decided;
        return allowed();
      }),
    });
    // Somebody who has connected and says nothing does not keep the server.
    const silent = tlsConnect({
      host: HOST,
      port: running.port,
      ca: running.ca(),
      secureContext: createSecureContext({ ca: running.ca() }),
    });
    silent.on('error', () => undefined);
    await once(silent, 'secureConnect');
    const answer = ask(session(running), '/slow', review({}));
    await begun;
    expect(running.server.startedChecker()).toBeUndefined();
    running.stop.abort();
    await once(silent, 'close');
    expect(running.server.startedChecker()).toBe('webhook server has not been started yet');
    const late = session(running);
    await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
    decide();
    expect((await answer).response).toMatchObject({ allowed: true });
    await running.ended;
  });

  it('does not wait for ever, and tells the handler', async () => {
    const clock = createManualClock(systemClock.now());
    let aborted = false;
    let asked: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const running = await serve(
      {
        '/stuck': admissionWebhook((_request, { signal }) => {
          asked();
          return new Promise(() => signal.addEventListener('abort', () => (aborted = true)));
        }),
      },
      clock,
    );
    const http2 = session(running);
    http2.on('error', () => undefined);
    const answer = ask(http2, '/stuck', review({})).catch(() => 'cut off');
    await begun;
    running.stop.abort();
    await clock.advance(60_000);
    await running.ended;
    expect(await answer).toBe('cut off');
    expect(aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('says when its certificate has expired', async () => {
    const clock = createManualClock(systemClock.now());
    const running = await serve({}, clock);
    expect(running.server.startedChecker()).toBeUndefined();
    await clock.advance(3_600_000);
    expect(running.server.startedChecker()).toBe('the serving certificate of the webhook server has expired');
    await running.rotate();
    expect(() =>
      running.server.register(
        '/a',
        admissionWebhook(() => allowed()),
      ),
    ).not.toThrow();
    expect(() =>
      running.server.register(
        '/a',
        admissionWebhook(() => allowed()),
      ),
    ).toThrow('a webhook at /a is already registered');
  });
});
