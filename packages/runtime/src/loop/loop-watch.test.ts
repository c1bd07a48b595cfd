import { type Clock, createManualClock } from '@kubewright/client';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type LogFields, silentLogger } from '../log/logger.ts';
import { LoopWatch } from './loop-watch.ts';

/** A clock whose time passes also where nothing else gets on: `hold` is work in one piece. */
function setUp() {
  const manual = createManualClock();
  let ahead = 0;
  const clock: Clock = { ...manual, monotonic: () => manual.monotonic() + ahead };
  const lines: (LogFields | undefined)[] = [];
  const registry = new Registry();
  const log = { ...silentLogger, info: (_message: string, fields?: LogFields) => lines.push(fields) };
  const watch = new LoopWatch({ clock, log, registry });
  const holds = async () =>
    (await registry.getSingleMetric('kubewright_event_loop_holds_total')?.get())?.values;
  return { manual, watch, lines, holds, hold: (ms: number) => void (ahead += ms) };
}

test('names who holds up the event loop, also where that has ended by then, and counts it', async () => {
  const { manual, watch, lines, holds, hold } = setUp();
  const work = watch.begin('site', 'shop/web');
  hold(1000);
  work.ended();
  await manual.advance(50);
  expect(lines).toEqual([{ ms: 1050, objects: ['site shop/web'] }]);
  expect(await holds()).toMatchObject([{ labels: { controller: 'site' }, value: 1 }]);
});

test('says nothing of work that takes long and lets others go on', async () => {
  const { manual, watch, lines, holds } = setUp();
  const work = watch.begin('site', 'shop/web');
  await manual.advance(10_000);
  work.ended();
  await manual.advance(50);
  expect(lines).toEqual([]);
  expect(await holds()).toMatchObject([{ labels: { controller: 'site' }, value: 0 }]);
});

test('has no timer while nobody works', async () => {
  const { manual, watch } = setUp();
  expect(manual.pending).toBe(0);
  watch.begin('site', 'shop/web').ended();
  await manual.advance(50);
  expect(manual.pending).toBe(0);
});

test('does not name what had ended before', async () => {
  const { manual, watch, lines, hold } = setUp();
  watch.begin('site', 'shop/before').ended();
  await manual.advance(50);
  const work = watch.begin('/validate');
  work.named('configmaps shop/large');
  hold(300);
  await manual.advance(50);
  expect(lines).toEqual([{ ms: 350, objects: ['/validate configmaps shop/large'] }]);
});

test('names five objects, and how many more there are', async () => {
  const { manual, watch, lines, hold } = setUp();
  for (let index = 0; index < 8; index++) watch.begin('site', `shop/${index}`);
  hold(300);
  await manual.advance(50);
  expect(lines[0]).toMatchObject({ objects: [0, 1, 2, 3, 4].map((index) => `site shop/${index}`), more: 3 });
});
