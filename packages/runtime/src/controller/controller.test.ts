import { createManualClock } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import type { Cache } from '../cache/cache.ts';
import { type LogFields, type Logger, silentLogger } from '../log/logger.ts';
import { RuntimeError, terminalError } from '../runtime-error.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { formatRequest, type Reconciler } from './reconciler.ts';
import { createChannelSource } from './source.ts';

function setUp(reconcile: Reconciler['reconcile'], more: Partial<ControllerOptions> = {}) {
  const clock = createManualClock();
  const errors: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (message: string, fields?: LogFields) => errors.push(`${message}: ${String(fields?.['error'])}`),
    child: () => log,
  };
  const outcomes: string[] = [];
  const source = createChannelSource('test');
  const controller = new Controller(
    { name: 'test', reconciler: { reconcile }, sources: [source], ...more },
    {
      cache: {} as Cache,
      clock,
      log,
      observer: {
        onReconcile: (outcome) => outcomes.push(outcome),
        onPanic: () => outcomes.push('panic'),
        onTimeout: () => outcomes.push('timeout'),
      },
    },
  );
  const stop = new AbortController();
  const running = controller.start(stop.signal);
  return { clock, controller, source, stop, running, errors, outcomes };
}

const a = { namespace: 'ns', name: 'a' };

describe('a controller', () => {
  it('reconciles what its sources ask for', async () => {
    const seen: string[] = [];
    const { source, clock, stop, running } = setUp(async (request) => {
      seen.push(formatRequest(request));
      return {};
    });
    source.send(a);
    source.send({ name: 'b' });
    await clock.advance(0);
    expect(seen).toEqual(['ns/a', 'b']);
    stop.abort();
    await running;
  });

  it.each([
    ['rejects', () => Promise.reject(new RuntimeError('TimedOut', 'oh no'))],
    [
      'throws at once',
      () => {
        throw new RuntimeError('TimedOut', 'oh no');
      },
    ],
  ])(
    'logs a reconcile that %s, tries again later each time, and forgets failures after a success',
    async (_t, fail) => {
      let calls = 0;
      const { source, clock, stop, running, errors, outcomes } = setUp(() => {
        calls += 1;
        return calls === 3 ? Promise.resolve({}) : fail();
      });
      source.send(a);
      await clock.advance(0);
      expect(calls).toBe(1);
      await clock.advance(5);
      expect(calls).toBe(2);
      await clock.advance(9);
      expect(calls).toBe(2);
      await clock.advance(1);
      expect(calls).toBe(3);
      expect(outcomes).toEqual(['error', 'error', 'success']);
      expect(errors).toEqual(Array(2).fill('reconcile failed, will try again: RuntimeError: oh no'));
      source.send(a);
      await clock.advance(5);
      expect(calls).toBe(5);
      stop.abort();
      await running;
      expect(clock.pending).toBe(0);
    },
  );

  it('does not try a terminal failure again', async () => {
    const { source, clock, stop, running, outcomes, errors } = setUp(() =>
      Promise.reject(terminalError('no use')),
    );
    source.send(a);
    await clock.advance(10_000_000);
    expect(outcomes).toEqual(['terminal_error']);
    expect(errors).toEqual(['reconcile failed for good: RuntimeError: no use']);
    stop.abort();
    await running;
  });

  it('comes back after requeueAfter milliseconds', async () => {
    const { source, clock, stop, running, outcomes } = setUp(async () => ({ requeueAfter: 1000 }));
    source.send(a);
    await clock.advance(999);
    expect(outcomes).toHaveLength(1);
    await clock.advance(1001);
    expect(outcomes).toEqual(Array(3).fill('requeue_after'));
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it('comes back after the back-off of the queue with requeue, and is no failure', async () => {
    const { source, clock, stop, running, outcomes, errors } = setUp(async () => ({ requeue: true }));
    source.send(a);
    await clock.advance(4);
    expect(outcomes).toEqual(['requeue']);
    await clock.advance(1 + 10 + 20);
    expect([outcomes, errors]).toEqual([Array(4).fill('requeue'), []]);
    stop.abort();
    await running;
  });

  it('runs several objects at once, but never one object twice', async () => {
    const under: string[] = [];
    let most = 0;
    const finish: (() => void)[] = [];
    const { source, clock, stop, running } = setUp(
      async (request) => {
        const key = formatRequest(request);
        expect(under).not.toContain(key);
        under.push(key);
        most = Math.max(most, under.length);
        await new Promise<void>((resolve) => finish.push(resolve));
        under.splice(under.indexOf(key), 1);
        return {};
      },
      { maxConcurrentReconciles: 2 },
    );
    for (const name of ['a', 'b', 'c', 'a', 'b']) source.send({ name });
    await clock.advance(0);
    source.send({ name: 'a' });
    for (let i = 0; i < 5; i++) {
      finish.shift()?.();
      await clock.advance(0);
    }
    expect(most).toBe(2);
    expect(under).toEqual([]);
    stop.abort();
    await running;
  });

  it('waits for a reconcile under way, and aborts its signal when it takes too long', async () => {
    let aborted = false;
    const { source, clock, stop, running } = setUp(
      (_request, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve({});
          });
        }),
      { gracefulMs: 100 },
    );
    source.send(a);
    await clock.advance(0);
    stop.abort();
    await clock.advance(99);
    expect(aborted).toBe(false);
    await clock.advance(1);
    expect(aborted).toBe(true);
    await running;
    expect(clock.pending).toBe(0);
  });

  it('stops waiting for a reconcile that does not heed its signal, and says so', async () => {
    const { source, clock, stop, running } = setUp(() => new Promise(() => undefined), { gracefulMs: 100 });
    source.send(a);
    await clock.advance(0);
    stop.abort();
    const ended = running.catch((error: unknown) => error);
    await clock.advance(100 + 10_000);
    expect(await ended).toMatchObject({ code: 'TimedOut' });
    expect(clock.pending).toBe(0);
  });

  it('aborts the signal of a reconcile that takes too long, and tries again', async () => {
    const { source, clock, stop, running, outcomes } = setUp(
      (_request, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
      { reconcileTimeoutMs: 1000 },
    );
    source.send(a);
    await clock.advance(999);
    expect(outcomes).toEqual([]);
    await clock.advance(1);
    expect(outcomes).toEqual(['timeout', 'error']);
    await clock.advance(5 + 1000);
    expect(outcomes).toHaveLength(4);
    stop.abort();
    await clock.advance(100_000);
    await running;
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['a mistake in the program', new TypeError('x is undefined'), ['panic', 'error']],
    ['a failure', new RuntimeError('TimedOut', 'no'), ['error']],
    ['a call that the network failed', new TypeError('fetch failed', { cause: 'x' }), ['error']],
  ])('counts %s as what it is', async (_title, error, expected) => {
    const { source, clock, stop, running, outcomes } = setUp(() => Promise.reject(error));
    source.send(a);
    await clock.advance(0);
    expect(outcomes).toEqual(expected);
    stop.abort();
    await running;
  });

  it('gives back what failed or is to come again with the priority that it came with', async () => {
    const seen: string[] = [];
    const { source, clock, stop, running } = setUp(async ({ name }) => {
      seen.push(name);
      if (name === 'low' && seen.length === 1) throw new RuntimeError('TimedOut', 'no');
      if (name === 'raised') return { requeueAfter: 5, priority: 10 };
      return {};
    });
    source.send({ name: 'low' }, -100);
    source.send({ name: 'raised' }, -100);
    await clock.advance(0);
    // All become due in the same moment; while one is worked on, the order of the others is decided.
    source.send({ name: 'first' });
    await clock.advance(5);
    expect(seen.slice(0, 3)).toEqual(['low', 'raised', 'first']);
    expect(seen).toContain('low');
    stop.abort();
    await running;
  });
});
