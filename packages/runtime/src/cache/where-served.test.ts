import { ApiError, createManualClock } from '@kubewright/client';
import { expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { configMap } from '../testing/objects.ts';
import { scriptedListWatch } from '../testing/scripted-list-watch.ts';
import { Informer } from './informer.ts';
import { whereServed } from './where-served.ts';

const failed = (code: number): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code });
const NOT_SERVED = { list: failed(404) };

/** An informer of an optional kind, run until the end of the script. */
async function play(script: Parameters<typeof scriptedListWatch>[0]) {
  const source = scriptedListWatch(script);
  const clock = createManualClock();
  const informer = new Informer({
    name: 'v1 ConfigMap',
    source: whereServed(source, clock),
    clock,
    random: () => 0.5,
    log: silentLogger,
  });
  const seen: string[] = [];
  informer.addHandler(({ type, object }) => void seen.push(`${type} ${object.metadata.name}`));
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  while (!source.finished()) await clock.advanceToNext();
  const { synced, served } = informer;
  const status = informer.status();
  const seconds = clock.monotonic() / 1000;
  stop.abort();
  await running;
  return { calls: source.calls, seen, synced, served, status, seconds, pending: clock.pending };
}

it('a kind that is not served has no objects, and is looked for each minute without a failure', async () => {
  const hour = Array.from({ length: 60 }, () => NOT_SERVED);
  const { calls, seen, synced, served, status, seconds, pending } = await play([NOT_SERVED, ...hour]);
  expect(new Set(calls)).toEqual(new Set(['list']));
  expect({ seen, synced, served, seconds }).toEqual({
    seen: [],
    synced: true,
    served: false,
    seconds: 61 * 60,
  });
  expect(status).toMatchObject({ failures: 0, forbidden: false, lastError: undefined });
  expect(status.silentMs).toBeLessThanOrEqual(60_000);
  expect(pending).toBe(0);
});

it('when somebody installs its definition it is listed and watched', async () => {
  const listed = { list: { items: [configMap('a', '1')], resourceVersion: '5' } };
  const { calls, seen, served } = await play([
    NOT_SERVED,
    NOT_SERVED,
    listed,
    listed,
    { watch: [{ type: 'ADDED', object: configMap('b', '6') }], end: 'hold' },
  ]);
  expect(calls).toEqual(['list', 'list', 'list', 'list', 'watch 5']);
  expect({ seen, served }).toEqual({ seen: ['Create a', 'Create b'], served: true });
});

it('when its definition is deleted its objects are gone', async () => {
  const { seen, served } = await play([
    { list: { items: [configMap('a', '1')], resourceVersion: '5' } },
    { watch: [], end: failed(404) },
    NOT_SERVED,
    NOT_SERVED,
  ]);
  expect({ seen, served }).toEqual({ seen: ['Create a', 'Delete a'], served: false });
});

it('any other failure of the list is one', async () => {
  const { synced, status } = await play([{ list: failed(403) }, { list: failed(403) }]);
  expect({ synced, forbidden: status.forbidden }).toEqual({ synced: false, forbidden: true });
});
