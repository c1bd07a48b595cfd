import type { JsonObject } from '@kubewright/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { namespaceFor } from '../rest/namespace-for.ts';

/** `pods/ephemeralcontainers` and `pods/resize`: what they change, what they leave alone, what they refuse. */
export function podSubresourcesContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'pod-subresources');
  const pods = `/api/v1/namespaces/${namespace.name}/pods`;
  let told = 0;
  let pod = '';

  beforeEach(async () => {
    pod = `pod-${++told}`;
    const resources = { requests: { cpu: '100m', memory: '10Mi' } };
    const containers = [
      { name: 'a', image: 'image', resources },
      { name: 'b', image: 'image' },
    ];
    const object = {
      metadata: { name: pod, labels: { app: 'x' } },
      spec: { containers },
    };
    expect((await call(server().transport(), 'POST', pods, object)).status).toBe(201);
  });

  const patch = (
    subresource: string,
    body: JsonObject,
    type: keyof typeof PATCH = 'strategic',
  ): Promise<Answer> =>
    call(server().transport(), 'PATCH', `${pods}/${pod}/${subresource}`, body, PATCH[type]);
  const debug = (name: string, more: JsonObject = {}): JsonObject => ({
    spec: { ephemeralContainers: [{ name, image: 'busybox', ...more }] },
  });
  const forbidden = (what: string): string => `Pod "${pod}" is invalid: ${what}`;

  describe('an ephemeral container', () => {
    test('is added, with defaults, and nothing else changes', async () => {
      const { status, body } = await patch('ephemeralcontainers', {
        metadata: { labels: { more: 'x' } },
        ...debug('debug'),
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        metadata: { generation: 2, labels: { app: 'x' } },
        spec: {
          ephemeralContainers: [
            {
              name: 'debug',
              image: 'busybox',
              imagePullPolicy: 'Always',
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
            },
          ],
        },
      });
      expect((body['metadata'] as JsonObject)['labels']).toEqual({ app: 'x' });
      const image = { spec: { containers: [{ name: 'a', image: 'other' }] } };
      const after = (await patch('ephemeralcontainers', image)).body as {
        spec: { containers: { image: string }[] };
      };
      expect(after.spec.containers.map((one) => one.image)).toEqual(['image', 'image']);
    });

    test('stays', async () => {
      await patch('ephemeralcontainers', debug('debug'));
      const { body } = await patch('ephemeralcontainers', { spec: { ephemeralContainers: [] } }, 'merge');
      expect(body).toMatchObject({
        code: 422,
        message: forbidden(
          'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n',
        ),
      });
      const changed = (await patch('ephemeralcontainers', debug('debug', { image: 'other' }))).body;
      expect(changed).toMatchObject({ code: 422 });
      expect(changed['message']).toContain('existing ephemeral containers "debug" may not be changed\n');
    });

    test.each([
      ['ports', { ports: [{ containerPort: 80 }] }],
      ['resources', { resources: { limits: { cpu: '1' } } }],
    ])('has no %s', async (field, more) => {
      const { body } = await patch('ephemeralcontainers', debug('debug', more));
      expect(body).toMatchObject({
        code: 422,
        message: forbidden(
          `spec.ephemeralContainers[0].${field}: Forbidden: cannot be set for an Ephemeral Container`,
        ),
      });
    });

    test('is not the name of another container', async () => {
      const { body } = await patch('ephemeralcontainers', debug('a'));
      expect(body['message']).toBe(forbidden('spec.ephemeralContainers[0].name: Duplicate value: "a"'));
    });
  });

  describe('resizing', () => {
    const resources = (name: string, value: JsonObject): JsonObject => ({
      spec: { containers: [{ name, resources: value }] },
    });

    test('changes what containers may use, and nothing else', async () => {
      const { status, body } = await patch('resize', {
        metadata: { labels: { more: 'x' } },
        spec: {
          containers: [
            { name: 'a', image: 'other', resources: { requests: { cpu: '200m' }, limits: { cpu: '300m' } } },
          ],
        },
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        metadata: { generation: 2 },
        spec: {
          containers: [
            {
              name: 'a',
              image: 'image',
              resources: { requests: { cpu: '200m', memory: '10Mi' }, limits: { cpu: '300m' } },
            },
            { name: 'b', image: 'image' },
          ],
        },
      });
      expect((body['metadata'] as JsonObject)['labels']).toEqual({ app: 'x' });
    });

    test('to the same amount changes nothing', async () => {
      const { body } = await patch('resize', resources('a', { requests: { cpu: '0.1' } }));
      expect(body).toMatchObject({ metadata: { generation: 1 } });
    });

    test.each([
      [
        'take a request away',
        { requests: { cpu: null } },
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      ],
      [
        'ask for something else',
        { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      [
        'change the quality of service',
        { requests: null },
        '[spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing, spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed]',
      ],
      [
        'limit below the request',
        { limits: { cpu: '50m' } },
        'spec.containers[0].resources.requests: Invalid value: "100m": must be less than or equal to cpu limit of 50m',
      ],
    ])('may not %s', async (_, value, why) => {
      const { body } = await patch('resize', resources('a', value));
      expect(body).toMatchObject({ code: 422, message: forbidden(why) });
    });

    test('adds no container', async () => {
      const { body } = await patch('resize', { spec: { containers: [{ name: 'c', image: 'image' }] } });
      expect(body).toMatchObject({
        code: 422,
        message: forbidden('spec.containers: Forbidden: containers may not be added or removed on resize'),
      });
    });

    test('needs a node that can', async () => {
      const state = { running: { startedAt: '2024-01-01T00:00:00Z' } };
      const status = {
        containerStatuses: [{ name: 'a', state, image: 'image', imageID: '', restartCount: 0, ready: true }],
      };
      await patch('status', { status });
      const { body } = await patch('resize', resources('a', { requests: { cpu: '200m' } }));
      expect(body['message']).toBe(
        forbidden('spec: Forbidden: Pod running on node without support for resize'),
      );
    });
  });

  test('discovery tells of both', async () => {
    const { body } = await call(server().transport(), 'GET', '/api/v1');
    const shown = (body['resources'] as readonly { name: string }[]).filter(({ name }) =>
      ['pods/ephemeralcontainers', 'pods/resize'].includes(name),
    );
    const verbs = ['get', 'patch', 'update'];
    expect(shown).toEqual([
      { name: 'pods/ephemeralcontainers', singularName: '', namespaced: true, kind: 'Pod', verbs },
      { name: 'pods/resize', singularName: '', namespaced: true, kind: 'Pod', verbs },
    ]);
  });
}
