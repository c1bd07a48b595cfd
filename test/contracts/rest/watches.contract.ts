import type { Json, JsonObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call, PATCH, query } from '../../support/api.ts';
import { type WatchLine, watchLines } from '../../support/watch-lines.ts';
import { metaOf, namespaceFor } from './namespace-for.ts';

type Parameters = Readonly<Record<string, string>>;

const shown = ({ type, object }: WatchLine): string => `${type} ${metaOf(object).name ?? ''}`;
const count =
  (wanted: number) =>
  (events: readonly WatchLine[]): boolean =>
    events.length >= wanted;
const never = (): boolean => false;
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** What watchers are told. */
export function watchesContract(server: () => TestServer): void {
  const { configMaps, create } = namespaceFor(server, 'watches');
  const path = (parameters: Parameters): string =>
    `${configMaps}${query({ watch: '1', timeoutSeconds: '30', ...parameters })}`;
  const patch = (name: string, body: JsonObject): Promise<unknown> =>
    call(server().transport(), 'PATCH', `${configMaps}/${name}`, body, PATCH.merge);
  const remove = (name: string): Promise<unknown> =>
    call(server().transport(), 'DELETE', `${configMaps}/${name}`);

  it('tells of every write after a revision, in order', async () => {
    const made = await create('one');
    await patch('one', { data: { a: '1' } });
    await create('two');
    await remove('one');
    const since = { resourceVersion: String(made.metadata.resourceVersion) };
    const events = await watchLines(server().transport(), path(since), count(3));
    expect(events.map(shown)).toEqual(['MODIFIED one', 'ADDED two', 'DELETED one']);
    const revisions = events.map(({ object }) => Number(metaOf(object).resourceVersion));
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    await remove('two');
  });

  it('begins with what is there, and goes on with what comes', async () => {
    await create('here');
    const events = await watchLines(server().transport(), path({ resourceVersion: '0' }), count(2), {
      began: () => create('later'),
    });
    expect(events.map(shown)).toEqual(['ADDED here', 'ADDED later']);
    await remove('here');
    await remove('later');
  });

  it('adds what begins to match a selector, and deletes what ceases to', async () => {
    const made = await create('moves', { labels: { color: 'red' } });
    await patch('moves', { metadata: { labels: { color: 'blue' } } });
    await patch('moves', { data: { a: '1' } });
    await patch('moves', { metadata: { labels: { color: 'green' } } });
    const since = { resourceVersion: String(made.metadata.resourceVersion), labelSelector: 'color=blue' };
    const events = await watchLines(server().transport(), path(since), count(3));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(metaOf(events[2]?.object ?? {}).labels?.['color']).toBe('blue');
    await remove('moves');
  });

  it('watches one object by its name', async () => {
    const made = await create('apart');
    await create('other');
    await patch('apart', { data: { a: '1' } });
    const since = {
      resourceVersion: String(made.metadata.resourceVersion),
      fieldSelector: 'metadata.name=apart',
    };
    const events = await watchLines(server().transport(), path(since), count(1));
    expect(events.map(shown)).toEqual(['MODIFIED apart']);
    await remove('apart');
    await remove('other');
  });

  describe('a streaming list', () => {
    const streaming: Parameters = {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    };

    it('ends what was there with a bookmark that says so', async () => {
      await create('first');
      await create('second');
      const ended = (events: readonly WatchLine[]): boolean => events.at(-1)?.type === 'BOOKMARK';
      const events = await watchLines(server().transport(), path(streaming), ended);
      expect(events.map(shown)).toEqual(['ADDED first', 'ADDED second', 'BOOKMARK ']);
      const bookmark = events.at(-1)?.object ?? {};
      expect(bookmark).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
      expect(metaOf(bookmark).annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
      expect(Number(metaOf(bookmark).resourceVersion)).toBeGreaterThan(0);
      await remove('first');
      await remove('second');
    });

    it('needs to be asked for in full', async () => {
      const half = path({ sendInitialEvents: 'true' });
      const { status, body } = await call(server().transport(), 'GET', half);
      expect(status).toBe(422);
      expect(body['message']).toContain('sendInitialEvents');
    });
  });

  it('ends when its time is over', async () => {
    const short = path({ timeoutSeconds: '1', resourceVersion: '0', labelSelector: 'none=there' });
    expect(await watchLines(server().transport(), short, never)).toEqual([]);
  });

  it('shows metadata only to who asks for no more', async () => {
    await create('partial', { labels: { of: 'partial' }, data: { secret: 'x' } });
    const only = path({ resourceVersion: '0', labelSelector: 'of=partial' });
    const [event] = await watchLines(server().transport(), only, count(1), { accept: PARTIAL });
    expect(event?.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(event?.object['data']).toBeUndefined();
    expect(metaOf(event?.object ?? {}).name).toBe('partial');
    await remove('partial');
  });

  it('shows tables whose columns are told once', async () => {
    await create('row-a', { labels: { of: 'rows' }, data: { k: 'v' } });
    await create('row-b', { labels: { of: 'rows' } });
    const rows = path({ resourceVersion: '0', labelSelector: 'of=rows' });
    const events = await watchLines(server().transport(), rows, count(2), { accept: TABLE });
    const [first, second] = events.map(({ object }) => object);
    const columns = first?.['columnDefinitions'] as readonly JsonObject[];
    expect(columns.map((column) => column['name'])).toEqual(['Name', 'Data', 'Age']);
    expect(second?.['columnDefinitions'] ?? null).toBeNull();
    const cells = events.map(({ object }) =>
      (object['rows'] as readonly { readonly cells: readonly Json[] }[])[0]?.cells.slice(0, 2),
    );
    expect(cells).toEqual([
      ['row-a', 1],
      ['row-b', 0],
    ]);
    await remove('row-a');
    await remove('row-b');
  });
}
