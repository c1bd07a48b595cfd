import type { JsonObject } from '@kubewright/kube';
import { beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { at } from '../../support/at.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { namespaceFor } from '../rest/namespace-for.ts';

/** What a namespace's LimitRanges make of its pods, and what they refuse. */
export function limitRangesContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'limits');
  const within = `/api/v1/namespaces/${namespace.name}`;
  const create = (resource: string, object: JsonObject): Promise<Answer> =>
    call(server().transport(), 'POST', `${within}/${resource}`, object);
  const pod = (name: string, resources: JsonObject = {}): JsonObject => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'image', resources }] },
  });

  beforeAll(async () => {
    const item = { type: 'Container', max: { cpu: '1' }, defaultRequest: { cpu: '100m' } };
    const { status, body } = await create('limitranges', { spec: { limits: [item] } });
    expect(status).toBe(201);
    expect(at(body, 'metadata', 'name')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(at(body, 'spec', 'limits', 0, 'default')).toEqual({ cpu: '1' });
  });

  test('a container that asks for nothing gets the defaults, which nobody owns', async () => {
    const { body } = await create('pods', pod('plain'));
    expect(at(body, 'spec', 'containers', 0, 'resources')).toEqual({
      limits: { cpu: '1' },
      requests: { cpu: '100m' },
    });
    expect(at(body, 'status', 'qosClass')).toBe('Burstable');
    expect(at(body, 'metadata', 'annotations')).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
    });
    expect(JSON.stringify(at(body, 'metadata', 'managedFields'))).not.toMatch(/limit-ranger|f:cpu/);
  });

  test('who asks for too much is told so, and nothing is made', async () => {
    const { status, body } = await create('pods', pod('greedy', { limits: { cpu: '1500m' } }));
    expect(status).toBe(403);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods "greedy" is forbidden: maximum cpu usage per Container is 1, but limit is 1500m',
      reason: 'Forbidden',
      details: { name: 'greedy', kind: 'pods' },
      code: 403,
    });
    expect((await call(server().transport(), 'GET', `${within}/pods/greedy`)).status).toBe(404);
  });

  test('a pod that is there is held to it when it is resized, not when it changes otherwise', async () => {
    await create('pods', pod('grows'));
    const patch = (subresource: string, body: JsonObject): Promise<Answer> =>
      call(server().transport(), 'PATCH', `${within}/pods/grows${subresource}`, body, PATCH.strategic);
    expect((await patch('', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    const containers = [{ name: 'c', resources: { limits: { cpu: '2' } } }];
    expect((await patch('/resize', { spec: { containers } })).body).toMatchObject({
      code: 403,
      message: 'pods "grows" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    });
  });

  test('templates are not looked at', async () => {
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: pod('x', { limits: { cpu: '5' } })['spec'] ?? {},
    };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const path = `/apis/apps/v1/namespaces/${namespace.name}/deployments`;
    const { status } = await call(server().transport(), 'POST', path, { metadata: { name: 'd' }, spec });
    expect(status).toBe(201);
  });
}
