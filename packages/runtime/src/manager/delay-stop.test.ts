import { createClient, createManualClock } from '@kubewright/client';
import { expect, test } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { fakeApi } from '../testing/fake-api.ts';
import { createManager } from './create-manager.ts';
import { delayStop } from './delay-stop.ts';

test('DRF-74 a manager that is stopped is unready at once, and works on until no API server calls it any more', async () => {
  const clock = createManualClock();
  const client = createClient(fakeApi([]));
  const manager = createManager({ client, clock, log: silentLogger, shutdownDelayMs: 5000 });
  let isWorking = true;
  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  manager.add({ start: (signal) => aborted(signal).then(() => void (isWorking = false)) });
  const sigterm = new AbortController();
  const ended = manager.start(sigterm.signal);
  await clock.advance(0);
  expect(manager.health()).toMatchObject({ ready: true, reasons: [] });
  sigterm.abort();
  expect(manager.health()).toMatchObject({ live: true, ready: false, reasons: ['it is being stopped'] });
  await clock.advance(4999);
  expect(isWorking).toBe(true);
  await clock.advance(1);
  await ended;
  expect(isWorking).toBe(false);
});

test('without a delay it stops at once, also where it was stopped before it began', async () => {
  const clock = createManualClock();
  expect(delayStop(AbortSignal.abort(), 0, clock).aborted).toBe(true);
  const signal = delayStop(AbortSignal.abort(), 1000, clock);
  expect(signal.aborted).toBe(false);
  await clock.advance(1000);
  expect(signal.aborted).toBe(true);
});
