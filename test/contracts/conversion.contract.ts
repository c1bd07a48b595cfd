import assert from 'node:assert/strict';
import type { Json, JsonObject, Transport } from '@kubewright/kube';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, call, PATCH } from '../support/api.ts';
import { at, textAt } from '../support/at.ts';
import { boxDefinition, convertBoxes, converting, failed, responseOf } from '../support/boxes.ts';
import { watchLines } from '../support/watch-lines.ts';
import {
  type Answering,
  patchOf,
  startWebhookServer,
  type WebhookServer,
} from '../support/webhook-server.ts';

type Server = { readonly name: string; transport(): Transport };
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/** Custom resources whose versions a webhook converts; see `boxes.ts`. */
export function conversionContract(server: () => Server): void {
  const group = `conversion-${process.pid}.example.com`;
  let transport: Transport;
  let webhooks: WebhookServer;
  let asked: JsonObject[];
  let convert: Answering = convertBoxes;
  let count = 0;
  const boxes = (version: string): string => `/apis/${group}/${version}/namespaces/default/boxes`;
  const send = (method: Method, path: string, body?: Json, type?: string): Promise<Answer> =>
    call(transport, method, path, body, type);
  const newName = (): string => `box-${(count += 1)}`;
  const box = (version: string, name: string, fields: JsonObject): JsonObject => ({
    apiVersion: `${group}/${version}`,
    kind: 'Box',
    metadata: { name },
    ...fields,
  });
  const made = async (version: string, fields: JsonObject): Promise<string> => {
    const name = newName();
    const { status, body } = await send('POST', boxes(version), box(version, name, fields));
    assert(status === 201, JSON.stringify(body));
    return name;
  };
  const read = async (version: string, name: string): Promise<JsonObject> =>
    (await send('GET', `${boxes(version)}/${name}`)).body;
  const managersOf = (object: JsonObject): readonly unknown[] =>
    (at(object, 'metadata', 'managedFields') as JsonObject[]).map(({ manager, apiVersion, fieldsV1 }) => [
      manager,
      textAt({ apiVersion: apiVersion ?? '' }, 'apiVersion').replace(`${group}/`, ''),
      Object.keys(fieldsV1 as JsonObject).toSorted(),
    ]);

  beforeAll(async () => {
    transport = server().transport();
    webhooks = await startWebhookServer();
    const served = webhooks.answer((request) => convert(request));
    asked = served.asked;
    const clientConfig = {
      url: `https://127.0.0.1:${webhooks.port}${served.path}`,
      caBundle: webhooks.caBundle,
    };
    const webhook = { clientConfig, conversionReviewVersions: ['v2', 'v1', 'v1beta1'] };
    const { status, body } = await send('POST', CRDS, boxDefinition(group, { strategy: 'Webhook', webhook }));
    assert(status === 201, JSON.stringify(body));
    await vi.waitFor(async () => assert((await send('GET', boxes('v2'))).status === 200), {
      timeout: 20_000,
    });
  });
  afterEach(() => {
    convert = convertBoxes;
  });
  afterAll(async () => {
    await send('DELETE', `${CRDS}/boxes.${group}`);
    await transport.close();
    await webhooks.stop();
  });

  test('an object is read in each version as the webhook converts it, whichever it was written in', async () => {
    const [new_, old] = [await made('v2', { width: 3, height: 4 }), await made('v1', { size: '5x6' })];
    expect(await read('v1', new_)).toMatchObject({ apiVersion: `${group}/v1`, size: '3x4' });
    expect(await read('v2', new_)).toMatchObject({ width: 3, height: 4 });
    expect(await read('v2', old)).toMatchObject({ apiVersion: `${group}/v2`, width: 5, height: 6 });
    expect(await read('v2', old)).not.toHaveProperty('size');
  });

  test('the webhook is sent a ConversionReview of the first version that the server has, and the whole object', async () => {
    const name = await made('v1', { size: '1x2' });
    const stored = await read('v1', name);
    asked.length = 0;
    await read('v2', name);
    expect(asked).toEqual([
      {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        desiredAPIVersion: `${group}/v2`,
        objects: [{ ...stored, metadata: expect.objectContaining({ name, namespace: 'default' }) }],
        url: expect.stringContaining('?timeout=30s'),
      },
    ]);
  });

  test('updates and merge patches change the object in the version in which they are sent', async () => {
    const name = await made('v1', { size: '1x2' });
    const patched = await send('PATCH', `${boxes('v2')}/${name}`, { height: 9 }, PATCH.merge);
    expect([patched.status, patched.body['width'], patched.body['height']]).toEqual([200, 1, 9]);
    expect(await read('v1', name)).toMatchObject({ size: '1x9' });
    const current = await read('v2', name);
    const replaced = await send('PUT', `${boxes('v2')}/${name}`, { ...current, width: 7 });
    expect(replaced.body).toMatchObject({ width: 7, height: 9 });
    expect(await read('v1', name)).toMatchObject({ size: '7x9' });
  });

  test('each apply owns fields of its own version, and two versions can share an object', async () => {
    const name = newName();
    const apply = (version: string, manager: string, fields: JsonObject): Promise<Answer> =>
      send(
        'PATCH',
        `${boxes(version)}/${name}?fieldManager=${manager}`,
        box(version, name, fields),
        PATCH.apply,
      );
    expect((await apply('v1', 'one', { size: '7x8' })).status).toBe(201);
    expect((await apply('v2', 'two', { width: 7 })).status).toBe(200);
    const conflict = await apply('v2', 'three', { width: 8 });
    expect([conflict.status, textAt(conflict.body, 'message')]).toEqual([
      409,
      'Apply failed with 2 conflicts: conflicts with "one":\n- .size\nconflicts with "two":\n- .width',
    ]);
    expect(managersOf(await read('v2', name))).toEqual([
      ['two', 'v2', ['f:width']],
      ['one', 'v1', ['f:size']],
    ]);
  });

  test('lists, tables and field selectors see all objects in the version of the request', async () => {
    const [a, b] = [await made('v1', { size: '41x1' }), await made('v2', { width: 42, height: 1 })];
    const { body } = await send('GET', boxes('v2'));
    const widths = (at(body, 'items') as JsonObject[]).map((item) => [
      textAt(item, 'metadata', 'name'),
      item['width'],
    ]);
    expect(widths).toEqual(
      expect.arrayContaining([
        [a, 41],
        [b, 42],
      ]),
    );
    const selected = await send('GET', `${boxes('v2')}?fieldSelector=width%3D41`);
    expect(
      (at(selected.body, 'items') as JsonObject[]).map((item) => textAt(item, 'metadata', 'name')),
    ).toEqual([a]);
  });

  test('a watch shows the present objects and every change in its version, in the order of the changes', async () => {
    const name = await made('v1', { size: '1x1' });
    const path = `${boxes('v2')}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=20&fieldSelector=metadata.name%3D${name}`;
    const events = await watchLines(
      transport,
      path,
      (lines) => lines.some(({ type }) => type === 'DELETED'),
      {
        began: async () => {
          for (const height of [2, 3])
            await send('PATCH', `${boxes('v1')}/${name}`, { size: `1x${height}` }, PATCH.merge);
          await send('DELETE', `${boxes('v1')}/${name}`);
        },
      },
    );
    const seen = events
      .filter(({ type }) => type !== 'BOOKMARK')
      .map(({ type, object }) => [type, object['width'], object['height']]);
    expect(seen.at(-1)).toEqual(['DELETED', 1, 3]);
    expect(seen.filter(([type]) => type === 'MODIFIED').at(-1)).toEqual(['MODIFIED', 1, 3]);
    expect(seen.filter(([type]) => type === 'ADDED')).toHaveLength(1);
  });

  test('of metadata the webhook changes labels and annotations alone', async () => {
    const name = await made('v1', { size: '1x1' });
    convert = converting(
      {},
      { labels: { from: 'webhook' }, finalizers: ['example.com/hold'], generation: 7 },
    );
    const { metadata } = await read('v2', name);
    expect(metadata).toMatchObject({ name, generation: 1, labels: { from: 'webhook' } });
    expect(metadata).not.toHaveProperty('finalizers');
  });

  test('an admission webhook for another version sees, and changes, the object in that version', async () => {
    const seen = webhooks.answer((request) =>
      patchOf([{ op: 'replace', path: '/size', value: `1${textAt(request, 'object', 'size')}` }]),
    );
    const hook = {
      name: `boxes.${group}`,
      clientConfig: { url: `https://127.0.0.1:${webhooks.port}${seen.path}`, caBundle: webhooks.caBundle },
      rules: [{ operations: ['CREATE'], apiGroups: [group], apiVersions: ['v1'], resources: ['boxes'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const configuration = { metadata: { name: `boxes-${process.pid}` }, webhooks: [hook] };
    expect((await send('POST', HOOKS, configuration)).status).toBe(201);
    try {
      await vi.waitFor(
        async () => {
          const created = await send('POST', boxes('v2'), box('v2', newName(), { width: 2, height: 3 }));
          assert.deepEqual([created.body['width'], created.body['height']], [12, 3]);
        },
        { timeout: 20_000 },
      );
    } finally {
      await send('DELETE', `${HOOKS}/boxes-${process.pid}`);
    }
  });

  describe('a webhook that does not convert', () => {
    test.each<[string, Answering, string]>([
      ['says that it failed, and why', () => failed({ message: 'no such size' }), 'failed: no such size'],
      [
        'says that it failed',
        () => failed({}),
        "failed: response.result.status was 'Failure', not 'Success'",
      ],
      ['sends no result', () => ({}), "failed: response.result.status was '', not 'Success'"],
      [
        'sends an error',
        () => ({ raw: 'broken', status: 500, type: 'text/plain' }),
        'failed: an error on the server ("broken") has prevented the request from succeeding',
      ],
      ['sends fewer objects', () => ({ result: { status: 'Success' } }), 'returned 0 objects, expected 1'],
      [
        'sends another version',
        (request) => responseOf(request, (object) => object),
        'returned invalid object at index 0: invalid groupVersion (expected GROUP/v1, received GROUP/v2)',
      ],
      [
        'sends another kind',
        converting({ kind: 'Bag' }),
        'returned invalid object at index 0: invalid kind (expected Box, received Bag)',
      ],
      [
        'sends no metadata',
        converting({ metadata: null }),
        'returned invalid object: must have the same name: NAME != ',
      ],
      [
        'sends another name',
        converting({}, { name: 'other' }),
        'returned invalid object: must have the same name: NAME != other',
      ],
      [
        'sends labels that are no texts',
        converting({}, { labels: { a: 1 } }),
        'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
      ],
    ])('fails the create when it %s', async (_, answering, why) => {
      convert = answering;
      const name = newName();
      const { status, body } = await send('POST', boxes('v2'), box('v2', name, { width: 1, height: 1 }));
      const message = textAt(body, 'message').replaceAll(group, 'GROUP').replace(name, 'NAME');
      expect([status, message]).toEqual([500, `conversion webhook for GROUP/v2, Kind=Box ${why}`]);
      convert = convertBoxes;
      expect((await send('GET', `${boxes('v1')}/${name}`)).status).toBe(404);
    });

    test('fails a read, too, and a later one is not kept from it', async () => {
      const name = await made('v1', { size: '1x1' });
      convert = () => failed({ message: 'not today' });
      const { status, body } = await send('GET', `${boxes('v2')}/${name}`);
      expect([status, textAt(body, 'message').replaceAll(group, 'GROUP')]).toEqual([
        500,
        'conversion webhook for GROUP/v1, Kind=Box failed: not today',
      ]);
      convert = convertBoxes;
      expect(await read('v2', name)).toMatchObject({ width: 1 });
    });
  });
}
