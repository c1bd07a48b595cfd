import { authenticationv1 } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import { isGone, isNotFound } from '../errors/predicates.ts';
import type { ResourceRef } from '../rest/resource-ref.ts';
import { scriptedTransport } from '../testing/scripted-transport.ts';
import { createClient } from './create-client.ts';

const configMaps: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const deployments: ResourceRef = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const map = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: 'u', resourceVersion: '1' },
});
const key = { namespace: 'ns', name: 'a' };

describe('what a call looks like on the wire', () => {
  const sent = async (call: (client: ReturnType<typeof createClient>) => Promise<unknown>) => {
    const transport = scriptedTransport([{ json: { ...map('a'), items: [] } }]);
    await call(createClient(transport, { fieldOwner: 'me' }));
    const [request] = transport.requests;
    return `${request?.method} ${request?.path} ${String(request?.headers['content-type'] ?? '-')} ${String(request?.body ?? '-')}`;
  };
  it.each<[string, (client: ReturnType<typeof createClient>) => Promise<unknown>, string]>([
    ['get', (c) => c.get(configMaps, key), 'GET /api/v1/namespaces/ns/configmaps/a - -'],
    [
      'get of a subresource',
      (c) => c.get(deployments, key, { subresource: 'scale' }),
      'GET /apis/apps/v1/namespaces/ns/deployments/a/scale - -',
    ],
    [
      'list with everything',
      (c) => c.list(configMaps, { labelSelector: 'a=b,c', limit: 5, continue: 'x/=', resourceVersion: '0' }),
      'GET /api/v1/configmaps?labelSelector=a%3Db%2Cc&limit=5&continue=x%2F%3D&resourceVersion=0 - -',
    ],
    [
      'create',
      (c) => c.create(configMaps, map('a'), { dryRun: true, fieldValidation: 'Strict' }),
      `POST /api/v1/namespaces/ns/configmaps?fieldManager=me&fieldValidation=Strict&dryRun=All application/json ${JSON.stringify(map('a'))}`,
    ],
    [
      'update of a status',
      (c) => c.update(configMaps, map('a'), { subresource: 'status', fieldManager: 'you' }),
      `PUT /api/v1/namespaces/ns/configmaps/a/status?fieldManager=you application/json ${JSON.stringify(map('a'))}`,
    ],
    [
      'JSON patch',
      (c) => c.patch(configMaps, key, { type: 'json', body: [] }),
      'PATCH /api/v1/namespaces/ns/configmaps/a?fieldManager=me application/json-patch+json []',
    ],
    [
      'forced apply',
      (c) => c.apply(configMaps, map('a'), { force: true }),
      `PATCH /api/v1/namespaces/ns/configmaps/a?fieldManager=me&force=true application/apply-patch+yaml ${JSON.stringify(map('a'))}`,
    ],
    ['delete', (c) => c.delete(configMaps, key), 'DELETE /api/v1/namespaces/ns/configmaps/a - -'],
    [
      'delete with preconditions',
      (c) => c.delete(configMaps, key, { preconditions: { uid: 'u' }, propagationPolicy: 'Orphan' }),
      'DELETE /api/v1/namespaces/ns/configmaps/a application/json {"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan","preconditions":{"uid":"u"}}',
    ],
  ])('%s', async (_title, call, expected) => {
    expect(await sent(call)).toBe(expected);
  });

  it.each(['..', '.', 'a/b', 'a%2fb', '\ud800'])(
    'finds nothing of the name %j, and sends nothing',
    async (name) => {
      const transport = scriptedTransport([]);
      const client = createClient(transport);
      const gone = { code: 404, reason: 'NotFound', status: { details: { name } } };
      await expect(client.get(configMaps, { namespace: 'ns', name })).rejects.toMatchObject(gone);
      await expect(client.get(configMaps, { namespace: name, name: 'a' })).rejects.toMatchObject(gone);
      await expect(
        client.get({ group: name, version: 'v1', kind: 'A' }, { name: 'a' }),
      ).rejects.toMatchObject({
        reason: 'NoMatch',
      });
      expect(transport.requests).toEqual([]);
    },
  );
});

describe('answers', () => {
  it('gives listed objects the apiVersion and kind that the server leaves out', async () => {
    const items = [{ metadata: map('a').metadata }];
    const transport = scriptedTransport([
      {
        json: {
          kind: 'DeploymentList',
          apiVersion: 'apps/v1',
          metadata: { resourceVersion: '7', continue: 'next', remainingItemCount: 3 },
          items,
        },
      },
    ]);
    expect(await createClient(transport).list(deployments)).toEqual({
      items: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: map('a').metadata }],
      resourceVersion: '7',
      continue: 'next',
      remainingItemCount: 3,
    });
  });

  it('throws the Status of a refusal', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" not found',
      reason: 'NotFound',
      code: 404,
    };
    const error: unknown = await createClient(scriptedTransport([{ status: 404, json: status }]))
      .get(configMaps, key)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({ code: 404, reason: 'NotFound', retryable: false, status });
  });

  it('makes an error of a proxy that speaks no Kubernetes, with its Retry-After', async () => {
    const transport = scriptedTransport([
      { status: 503, headers: { 'retry-after': '7' }, text: '<h1>no backend</h1>' },
    ]);
    await expect(createClient(transport).get(configMaps, key)).rejects.toMatchObject({
      code: 503,
      reason: 'Unknown',
      retryable: true,
      retryAfterSeconds: 7,
      message: 'the server answered 503: <h1>no backend</h1>',
    });
  });

  it.each([
    ['name', { name: '' }],
    ['uid', { uid: null }],
    ['resourceVersion', { resourceVersion: 7 }],
    ['namespace', { namespace: [] }],
  ])('rejects an object without %s, wherever it stands', async (field, over) => {
    const object = { ...map('a'), metadata: { ...map('a').metadata, ...over } };
    const list = {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: [object],
    };
    const event = `${JSON.stringify({ type: 'ADDED', object })}\n`;
    const client = createClient(
      scriptedTransport([{ json: object }, { json: object }, { json: list }, { chunks: [event] }]),
    );
    const calls = [
      client.get(configMaps, key),
      client.create(configMaps, map('a')),
      client.list(configMaps),
      client.watch(configMaps)[Symbol.asyncIterator]().next(),
    ];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        reason: 'InvalidResponse',
        message: `the server sent a ConfigMap without metadata.${field}`,
      });
  });

  it('gives empty text where nothing is stored: dry runs, reviews, other objects of subresources', async () => {
    const { resourceVersion: _, ...unstored } = map('a').metadata;
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {} };
    const client = createClient(
      scriptedTransport([
        { json: { ...map('a'), metadata: unstored } },
        { json: review },
        { json: { kind: 'Status', apiVersion: 'v1', metadata: {} } },
      ]),
    );
    const dry = await client.create(configMaps, map('a'), { dryRun: true });
    expect(dry.metadata).toEqual({ ...unstored, resourceVersion: '' });
    const answer = await client.create(authenticationv1.tokenreviews, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token: 't' },
    });
    expect(answer.metadata).toEqual({ name: '', uid: '', resourceVersion: '' });
    const bound = await client.create(configMaps, map('a'), { subresource: 'binding' });
    expect(bound.metadata).toEqual({ name: '', uid: '', resourceVersion: '', namespace: '' });
  });

  it('refuses an answer beyond the bound', async () => {
    const transport = scriptedTransport([{ chunks: ['{"kind":', '"ConfigMap"}'] }]);
    const client = createClient(transport, { maxBodyBytes: 10 });
    await expect(client.get(configMaps, key)).rejects.toMatchObject({ reason: 'TooLarge' });
  });

  it('reads the log of a pod as text, up to a limit', async () => {
    const transport = scriptedTransport([{ text: 'one\ntwo\n' }, { status: 400, text: 'no such container' }]);
    const client = createClient(transport);
    expect(await client.podLog(key, { container: 'main', limitBytes: 5 })).toBe('one\nt');
    expect(transport.requests[0]?.path).toBe('/api/v1/namespaces/ns/pods/a/log?container=main&limitBytes=5');
    await expect(client.podLog(key)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('no such'),
    });
  });

  it('hands on the warnings of the server', async () => {
    const warnings: string[] = [];
    const transport = scriptedTransport([
      { headers: { warning: '299 - "old \\"v1\\"", 299 - "second, with a comma"' }, json: map('a') },
    ]);
    await createClient(transport, { onWarning: (text) => warnings.push(text) }).get(configMaps, key);
    expect(warnings).toEqual(['old "v1"', 'second, with a comma']);
  });
});

describe('watch', () => {
  const collect = async (chunks: readonly string[]): Promise<unknown[]> => {
    const events: unknown[] = [];
    const client = createClient(scriptedTransport([{ chunks }]));
    for await (const event of client.watch(configMaps, { resourceVersion: '1' })) events.push(event);
    return events;
  };

  it('yields typed events from whatever chunks arrive', async () => {
    const line = JSON.stringify({ type: 'ADDED', object: map('a') });
    const error = { kind: 'Status', code: 410, reason: 'Expired' };
    expect(
      await collect([
        line.slice(0, 9),
        `${line.slice(9)}\n`,
        `${JSON.stringify({ type: 'ERROR', object: error })}\n`,
      ]),
    ).toEqual([
      { type: 'ADDED', object: map('a') },
      { type: 'ERROR', status: { apiVersion: 'v1', metadata: {}, status: 'Failure', ...error } },
    ]);
  });

  it.each([
    ['not JSON', '{"type":'],
    ['no object', '{"type":"ADDED"}'],
    ['an unknown type', '{"type":"CHANGED","object":{}}'],
    ['no metadata', '{"type":"ADDED","object":{}}'],
  ])('rejects a stream with %s', async (_title, line) => {
    await expect(collect([`${line}\n`])).rejects.toMatchObject({ reason: 'InvalidResponse' });
  });

  it('rejects with the Status when the watch is refused', async () => {
    const gone = { kind: 'Status', apiVersion: 'v1', reason: 'Expired', code: 410, message: 'too old' };
    const client = createClient(scriptedTransport([{ status: 410, json: gone }]));
    const events = client.watch(configMaps)[Symbol.asyncIterator]();
    const error: unknown = await events.next().catch((e: unknown) => e);
    expect(isGone(error)).toBe(true);
  });
});

describe('references by kind', () => {
  const resources = {
    kind: 'APIResourceList',
    resources: [
      { name: 'deployments', kind: 'Deployment', namespaced: true },
      { name: 'deployments/scale', kind: 'Scale', namespaced: true },
    ],
  };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: map('a').metadata };

  it('asks discovery once, for the group version and its preferred version', async () => {
    const transport = scriptedTransport([
      { json: { preferredVersion: { version: 'v1' } } },
      { json: resources },
      { json: object },
      { json: object },
    ]);
    const client = createClient(transport);
    await client.get({ group: 'apps', kind: 'Deployment' }, key);
    await client.get({ group: 'apps', version: 'v1', kind: 'Deployment' }, key);
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/apis/apps',
      '/apis/apps/v1',
      '/apis/apps/v1/namespaces/ns/deployments/a',
      '/apis/apps/v1/namespaces/ns/deployments/a',
    ]);
  });

  it('looks for a kind without a version in all versions of its group, the preferred one first', async () => {
    const versions = [{ version: 'v2' }, { version: 'v1' }];
    const transport = scriptedTransport([
      { json: { preferredVersion: { version: 'v2' }, versions } },
      { json: { resources: [] } },
      { json: resources },
      { json: object },
    ]);
    expect(await createClient(transport).get({ group: 'apps', kind: 'Deployment' }, key)).toEqual(object);
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/apis/apps',
      '/apis/apps/v2',
      '/apis/apps/v1',
      '/apis/apps/v1/namespaces/ns/deployments/a',
    ]);
  });

  it('asks again for a kind that was not there: its definition may have been created since', async () => {
    const transport = scriptedTransport([{ json: { resources: [] } }, { json: resources }, { json: object }]);
    const client = createClient(transport);
    const ref = { group: 'apps', version: 'v1', kind: 'Deployment' };
    await expect(client.get(ref, key)).rejects.toMatchObject({ reason: 'NoMatch', code: 0 });
    expect(await client.get(ref, key)).toEqual(object);
  });
});
