import type { Json, JsonObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../testing/at.ts';
import { type Call, caller } from '../testing/call.ts';
import { MERGE } from '../testing/config-maps.ts';

type Server = { transport(): Transport };

const NAMESPACES = '/api/v1/namespaces';

/** The life of a namespace from DELETE to its end, which whoever empties it brings about. */
export function namespaceDeletionContract(server: () => Server): void {
  let call: Call;
  let transport: Transport;
  let count = 0;

  const make = async (metadata: JsonObject = {}): Promise<string> => {
    const name = `ending-${process.pid}-${(count += 1)}`;
    const { status } = await call('POST', NAMESPACES, { metadata: { name, ...metadata } });
    expect(status).toBe(201);
    return name;
  };
  const read = async (name: string): Promise<JsonObject | undefined> => {
    const answer = await call('GET', `${NAMESPACES}/${name}`);
    return answer.status === 404 ? undefined : answer.json;
  };
  /** As the namespace controller does when nothing is left. */
  const finalize = async (name: string): Promise<number> => {
    const live = (await read(name)) ?? {};
    return (await call('PUT', `${NAMESPACES}/${name}/finalize`, { ...live, spec: { finalizers: [] } }))
      .status;
  };

  beforeAll(() => {
    transport = server().transport();
    call = caller(transport);
  });
  afterAll(() => transport.close());

  test('DELETE marks it; the last finalizer of its spec ends it', async () => {
    const name = await make();
    const answer = await call('DELETE', `${NAMESPACES}/${name}`);
    expect([answer.status, at(answer.json, 'status', 'phase')]).toEqual([200, 'Terminating']);
    expect(at(answer.json, 'metadata', 'deletionTimestamp')).toEqual(expect.any(String));
    expect(at(answer.json, 'metadata', 'deletionGracePeriodSeconds')).toBeNull();
    expect(at(answer.json, 'spec', 'finalizers')).toEqual(['kubernetes']);
    const again = await call('DELETE', `${NAMESPACES}/${name}`);
    expect([again.status, at(again.json, 'metadata', 'resourceVersion')]).toEqual([
      200,
      at(answer.json, 'metadata', 'resourceVersion'),
    ]);
    expect([await finalize(name), await read(name)]).toEqual([200, undefined]);
  });

  test('nothing is created in it meanwhile; what is there can be changed and deleted', async () => {
    const name = await make();
    const maps = `${NAMESPACES}/${name}/configmaps`;
    await call('POST', maps, { metadata: { name: 'there' } });
    await call('DELETE', `${NAMESPACES}/${name}`);
    const { status, json } = await call('POST', maps, { metadata: { name: 'late' } });
    expect([status, json]).toEqual([
      403,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
        reason: 'Forbidden',
        details: {
          name: 'late',
          kind: 'configmaps',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${name} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
        code: 403,
      },
    ]);
    expect((await call('PATCH', `${maps}/there`, { data: { a: 'b' } }, MERGE)).status).toBe(200);
    expect((await call('DELETE', maps)).status).toBe(200);
    await finalize(name);
  });

  test.each<[JsonObject, readonly string[] | null]>([
    [{}, null],
    [{ propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    [{ propagationPolicy: 'Orphan' }, ['orphan']],
    [{ orphanDependents: true }, ['orphan']],
    [{ orphanDependents: false }, ['foregroundDeletion']],
  ])('deleted with %j', async (options, finalizers) => {
    const name = await make();
    const answer = await call('DELETE', `${NAMESPACES}/${name}`, options);
    expect(at(answer.json, 'metadata', 'finalizers')).toEqual(finalizers);
    await call('PATCH', `${NAMESPACES}/${name}`, { metadata: { finalizers: null } }, MERGE);
    await finalize(name);
    expect(await read(name)).toBeUndefined();
  });

  test('it waits for its own finalizers too, and a DELETE after all others are gone does not hasten it', async () => {
    const name = await make({ finalizers: ['example.com/own'] });
    await call('DELETE', `${NAMESPACES}/${name}`);
    expect(await finalize(name)).toBe(200);
    const left = await call('DELETE', `${NAMESPACES}/${name}`);
    expect([left.status, at(left.json, 'metadata', 'finalizers')]).toEqual([200, ['example.com/own']]);
    expect(at(left.json, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
    await call('PATCH', `${NAMESPACES}/${name}`, { metadata: { finalizers: null } }, MERGE);
    expect(await read(name)).toBeUndefined();
  });

  test('finalizers of its spec are for the subresource only', async () => {
    const name = await make();
    const patch = { spec: { finalizers: [] } };
    await call('PATCH', `${NAMESPACES}/${name}`, patch, MERGE);
    expect(at(await read(name), 'spec', 'finalizers')).toEqual(['kubernetes']);
    expect((await call('PATCH', `${NAMESPACES}/${name}/finalize`, patch, MERGE)).status).toBe(405);
    const live = (await read(name)) ?? {};
    const wrong = { ...live, spec: { finalizers: ['no-domain'] } };
    const refused = await call('PUT', `${NAMESPACES}/${name}/finalize`, wrong);
    expect([refused.status, refused.json['message']]).toEqual([
      422,
      `Namespace "${name}" is invalid: spec.finalizers[0]: Invalid value: "no-domain": name is neither a standard finalizer name nor is it fully qualified`,
    ]);
    expect(await finalize(name)).toBe(200);
    // Not being deleted, it lives on, and a DELETE ends it at the second call.
    expect(await read(name)).toBeDefined();
    expect(at((await call('DELETE', `${NAMESPACES}/${name}`)).json, 'status', 'phase')).toBe('Terminating');
    await call('DELETE', `${NAMESPACES}/${name}`);
    expect(await read(name)).toBeUndefined();
  });

  test('conditions are told in its status, in which only the phase is checked', async () => {
    const name = await make();
    await call('DELETE', `${NAMESPACES}/${name}`);
    const live = (await read(name)) ?? {};
    const condition = {
      type: 'NamespaceContentRemaining',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining',
    };
    const status = { phase: 'Terminating', conditions: [condition] };
    const written = await call('PUT', `${NAMESPACES}/${name}/status`, { ...live, status });
    expect([written.status, at(written.json, 'status')]).toEqual([200, status]);
    const active = await call('PUT', `${NAMESPACES}/${name}/status`, {
      ...written.json,
      status: { phase: 'Active' },
    });
    expect([active.status, active.json['reason']]).toEqual([422, 'Invalid']);
    await finalize(name);
  });

  test('of another one than is there', async () => {
    const name = await make();
    const { uid, resourceVersion } = ((await read(name)) ?? {})['metadata'] as Record<string, string>;
    const refusal = async (preconditions: JsonObject): Promise<Json> => {
      const { status, json } = await call('DELETE', `${NAMESPACES}/${name}`, { preconditions });
      expect([status, json['details']]).toEqual([409, { name, kind: 'namespaces' }]);
      return json['message'] ?? null;
    };
    expect(await refusal({ uid: 'other' })).toBe(
      `Operation cannot be fulfilled on namespaces "${name}": Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
    );
    expect(await refusal({ resourceVersion: '1' })).toBe(
      `Operation cannot be fulfilled on namespaces "${name}": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
    );
  });

  test.each(['default', 'kube-system', 'kube-public'])('%s is for ever', async (name) => {
    const { status, json } = await call('DELETE', `${NAMESPACES}/${name}`);
    expect([status, json['message']]).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  });
}
