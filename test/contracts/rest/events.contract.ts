import type { JsonObject } from '@kubewright/kube';
import { expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { namespaceFor, namesIn } from './namespace-for.ts';

/** Events have two groups, `v1` and `events.k8s.io/v1`, which spell the same objects differently. */
export function eventsContract(server: () => TestServer): void {
  const { name: namespace } = namespaceFor(server, 'events');
  const core = `/api/v1/namespaces/${namespace}/events`;
  const grouped = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
  const pod = { kind: 'Pod', namespace, name: 'p' };
  const at = '2026-01-01T10:00:00.000000Z';
  const patch = (path: string, body: JsonObject): Promise<Answer> =>
    call(server().transport(), 'PATCH', path, body, PATCH.merge);
  const get = async (path: string): Promise<JsonObject> => {
    const { metadata: _, ...rest } = (await call(server().transport(), 'GET', path)).body;
    return rest;
  };
  const create = (path: string, name: string, fields: JsonObject): Promise<Answer> => {
    const apiVersion = path === core ? 'v1' : 'events.k8s.io/v1';
    const event = { apiVersion, kind: 'Event', metadata: { name, namespace }, ...fields };
    return call(server().transport(), 'POST', path, event);
  };
  const NEW = { eventTime: at, action: 'Start', reason: 'Started', type: 'Normal', reportingInstance: 'c-1' };
  const OLD = { reason: 'Started', type: 'Warning', count: 3, firstTimestamp: null, lastTimestamp: null };

  it('an Event of either group is in both, as each of them spells it', async () => {
    await create(grouped, 'new', {
      ...NEW,
      regarding: pod,
      reportingController: 'example.com/c',
      note: 'hello',
    });
    expect(await get(`${core}/new`)).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      ...NEW,
      involvedObject: pod,
      reportingComponent: 'example.com/c',
      message: 'hello',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
    });
    await create(core, 'old', { ...OLD, involvedObject: pod, message: 'hello', source: { component: 'c' } });
    expect(await get(`${grouped}/old`)).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: null,
      reason: 'Started',
      type: 'Warning',
      regarding: pod,
      note: 'hello',
      deprecatedSource: { component: 'c' },
      deprecatedCount: 3,
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    });
    const lists = await Promise.all([core, grouped].map((path) => call(server().transport(), 'GET', path)));
    for (const { body } of lists) expect(namesIn(body)).toEqual(['new', 'old']);
  });

  it('field selectors of either group choose Events that were written in the other one', async () => {
    const find = async (path: string, selector: string): Promise<readonly string[]> => {
      const selected = `${path}?fieldSelector=${encodeURIComponent(selector)}`;
      return namesIn((await call(server().transport(), 'GET', selected)).body);
    };
    expect(await find(grouped, 'regarding.name=p,type=Warning')).toEqual(['old']);
    expect(await find(grouped, 'reportingController=example.com/c')).toEqual(['new']);
    expect(await find(core, 'involvedObject.name=p,source=example.com/c')).toEqual(['new']);
  });

  it('an Event that is changed in one group is changed in the other, and owned by the last one alone', async () => {
    const series = { count: 2, lastObservedTime: at };
    expect((await patch(`${grouped}/new`, { series })).status).toBe(200);
    const { body } = await patch(`${core}/new`, { message: 'again' });
    expect(body).toMatchObject({ series, message: 'again' });
    expect(await get(`${grouped}/new`)).toMatchObject({ series, note: 'again' });
    const { managedFields } = body['metadata'] as { readonly managedFields: readonly JsonObject[] };
    expect(managedFields.map(({ apiVersion }) => apiVersion)).toEqual(['v1']);
  });

  it('what may not change in events.k8s.io is named as the core group spells it', async () => {
    const { status, body } = await patch(`${grouped}/old`, { note: 'other' });
    expect(status).toBe(422);
    expect(body['message']).toBe(
      'Event "old" is invalid: message: Invalid value: "other": field is immutable',
    );
  });

  it('a name is taken in both groups, and free in both when its Event is deleted', async () => {
    const again = { ...NEW, regarding: pod, reportingController: 'example.com/c', note: 'hello' };
    const { body } = await create(grouped, 'old', again);
    expect(body['message']).toBe('events.events.k8s.io "old" already exists');
    await call(server().transport(), 'DELETE', `${grouped}/old`);
    expect((await call(server().transport(), 'GET', `${core}/old`)).status).toBe(404);
  });
}
