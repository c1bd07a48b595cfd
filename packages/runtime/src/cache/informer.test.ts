import { ApiError, createManualClock } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { RuntimeError } from '../runtime-error.ts';
import { configMap } from '../testing/objects.ts';
import { scriptedListWatch, type ScriptedListWatch } from '../testing/scripted-list-watch.ts';
import { type CacheEvent, Informer } from './informer.ts';
import { dropManagedFields } from './transforms.ts';

const gone = new ApiError({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code: 410,
  reason: 'Expired',
});
const lost = new ApiError({ ...gone.status, code: 0, reason: 'ConnectionFailed' });

const short = (event: CacheEvent): string => {
  const { name, resourceVersion } = event.object.metadata;
  return `${event.type}${event.type === 'Create' && event.initial ? ' initial' : ''} ${name}@${resourceVersion}`;
};

async function play(source: ScriptedListWatch, more: (informer: Informer) => void = () => undefined) {
  const clock = createManualClock();
  const warnings: string[] = [];
  const log = {
    ...silentLogger,
    warn: (text: string) => warnings.push(text),
    error: (text: string) => warnings.push(text),
  };
  const informer = new Informer({
    name: 'v1 ConfigMap',
    source,
    clock,
    random: () => 0.5,
    log,
    transform: dropManagedFields,
  });
  const seen: string[] = [];
  more(informer);
  informer.addHandler((event) => void seen.push(short(event)));
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  while (!source.finished()) await clock.advanceToNext();
  const status = informer.status();
  stop.abort();
  await running;
  return { informer, seen, warnings, status, pending: clock.pending };
}

describe('an informer', () => {
  it('lists page by page, watches from the list’s version and tells of each change once', async () => {
    const source = scriptedListWatch([
      { list: { items: [configMap('a', '1')], resourceVersion: '5', continue: 'p2' } },
      { list: { items: [configMap('b', '2')], resourceVersion: '5' } },
      {
        watch: [
          { type: 'ADDED', object: configMap('c', '6') },
          { type: 'MODIFIED', object: configMap('a', '7') },
          { type: 'BOOKMARK', object: configMap('', '9') },
          { type: 'DELETED', object: configMap('b', '10') },
        ],
      },
    ]);
    const { seen, informer, status, pending } = await play(source);
    expect(source.calls).toEqual(['list', 'list p2', 'watch 5', 'watch 10']);
    expect(seen).toEqual([
      'Create initial a@1',
      'Create initial b@2',
      'Create c@6',
      'Update a@7',
      'Delete b@10',
    ]);
    expect([...informer.store.keys()]).toEqual(['ns/a', 'ns/c']);
    expect(status).toMatchObject({ synced: true, failures: 0, lastError: undefined });
    expect(pending).toBe(0);
  });

  it('goes on from the last version after a lost connection', async () => {
    const source = scriptedListWatch([
      { list: { items: [], resourceVersion: '5' } },
      { watch: [{ type: 'ADDED', object: configMap('a', '6') }], end: lost },
      { watch: [], end: lost },
      { watch: [{ type: 'ADDED', object: configMap('b', '8') }], end: 'hold' },
    ]);
    const { seen, warnings } = await play(source);
    expect(source.calls).toEqual(['list', 'watch 5', 'watch 6', 'watch 6']);
    expect(seen).toEqual(['Create a@6', 'Create b@8']);
    expect(warnings).toHaveLength(2);
  });

  it('finds by listing again what it missed: changes, deletions, and an object made anew under the same name', async () => {
    const source = scriptedListWatch([
      {
        list: {
          items: [
            configMap('same', '1'),
            configMap('changed', '2'),
            configMap('deleted', '3'),
            configMap('anew', '4'),
          ],
          resourceVersion: '5',
        },
      },
      { watch: [], end: gone },
      {
        list: {
          items: [
            configMap('same', '1'),
            configMap('changed', '20'),
            configMap('anew', '21', { uid: 'other' }),
          ],
          resourceVersion: '30',
        },
      },
      { watch: [], end: 'hold' },
    ]);
    const { seen } = await play(source);
    expect(seen.slice(4)).toEqual([
      'Update changed@20',
      'Delete anew@4',
      'Create anew@21',
      'Delete deleted@3',
    ]);
  });

  it('tells that what only an own write has shown is gone, when a list shows it no more', async () => {
    const source = scriptedListWatch([
      { list: { items: [configMap('old', '1')], resourceVersion: '5' } },
      { watch: [], end: gone },
      { list: { items: [configMap('old', '1')], resourceVersion: '9' } },
      { watch: [], end: 'hold' },
    ]);
    const { seen, informer } = await play(source, (informer) => {
      informer.shown(configMap('deleted-by-others', '6'));
      informer.shown(configMap('deleted-by-us', '7'));
      informer.gone('ns/deleted-by-us', 'uid-deleted-by-us');
      informer.shown(configMap('newer', '10'));
    });
    expect(seen).toEqual(['Create initial old@1', 'Delete deleted-by-others@6', 'Delete deleted-by-us@7']);
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['old', 'newer']);
  });

  it('survives handlers that throw and handlers that reject', async () => {
    const source = scriptedListWatch([
      { list: { items: [configMap('a', '1')], resourceVersion: '5' } },
      { watch: [{ type: 'ADDED', object: configMap('b', '6') }], end: 'hold' },
    ]);
    const { seen, warnings } = await play(source, (informer) => {
      informer.addHandler(() => {
        throw new RuntimeError('TimedOut', 'thrown');
      });
      informer.addHandler(() => Promise.reject(new RuntimeError('TimedOut', 'rejected')));
    });
    expect(seen).toEqual(['Create initial a@1', 'Create b@6']);
    expect(warnings).toEqual(Array(4).fill('a handler of v1 ConfigMap failed'));
  });

  it('tells a handler that comes late of what is there', async () => {
    const source = scriptedListWatch([
      { list: { items: [configMap('a', '1')], resourceVersion: '5' } },
      { watch: [], end: 'hold' },
    ]);
    const { informer } = await play(source);
    const seen: string[] = [];
    informer.addHandler((event) => void seen.push(short(event)));
    expect(seen).toEqual(['Create initial a@1']);
  });

  it('keeps what the transform leaves, and indexes it', async () => {
    const managed = configMap('a', '1');
    const source = scriptedListWatch([
      {
        list: {
          items: [{ ...managed, metadata: { ...managed.metadata, managedFields: [{ manager: 'm' }] } }],
          resourceVersion: '5',
        },
      },
      { watch: [{ type: 'MODIFIED', object: configMap('a', '6', { color: 'red' }) }], end: 'hold' },
    ]);
    const { informer } = await play(source, (informer) =>
      informer.addIndex('color', ({ data }) => Object.values(data as object).map(String)),
    );
    expect(informer.store.get('ns/a')?.metadata.managedFields).toBeUndefined();
    expect(informer.store.byIndex('color', 'red').map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(informer.store.byIndex('color', 'blue')).toEqual([]);
    expect(() => informer.store.byIndex('shape', 'x')).toThrow('there is no index shape');
  });

  it('keeps an object named __proto__ like any other', async () => {
    const source = scriptedListWatch([
      { list: { items: [configMap('__proto__', '1')], resourceVersion: '5' } },
      { watch: [{ type: 'DELETED', object: configMap('__proto__', '6') }], end: 'hold' },
    ]);
    const { seen } = await play(source);
    expect(seen).toEqual(['Create initial __proto__@1', 'Delete __proto__@6']);
  });
});

describe('the health of an informer', () => {
  it('is restored when the server accepts its watch, however long the first event takes', async () => {
    const source = scriptedListWatch([
      { list: { items: [], resourceVersion: '5' } },
      ...Array.from({ length: 6 }, () => ({ watch: [], end: lost })),
      { watch: [], end: 'hold' as const },
    ]);
    const { status } = await play(source);
    expect(status).toMatchObject({ failures: 0, lastError: undefined });
  });

  it('is bad while it waits to try again', async () => {
    const clock = createManualClock();
    const source = scriptedListWatch([
      { list: { items: [], resourceVersion: '5' } },
      ...Array.from({ length: 6 }, () => ({ watch: [], end: lost })),
    ]);
    const informer = new Informer({ name: 'n', source, clock, random: () => 0.5, log: silentLogger });
    const stop = new AbortController();
    const running = informer.start(stop.signal);
    const failures: number[] = [];
    while (!source.finished()) {
      await clock.advanceToNext();
      failures.push(informer.status().failures);
    }
    expect(failures).toEqual([2, 3, 4, 5, 6, 6]);
    stop.abort();
    await running;
  });
});
