import type { JsonObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { admissionSuite, configurations, RULE } from '../support/admission.ts';
import { at } from '../support/at.ts';
import { PATCH } from '../support/api.ts';
import { patchOf } from '../support/webhook-server.ts';

type Server = { transport(): Transport };

const ALL = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

/** Which writes a webhook is asked about. */
export function admissionSelectionContract(server: () => Server): void {
  const id = `selection-${process.pid}`;
  const suite = admissionSuite(server, id);
  const { maps, namespace, call, map, register } = suite;
  const group = `${id}.example.com`;
  const widgets = (version: string): string => `/apis/${group}/${version}/namespaces/${id}/widgets`;
  const widget = (name: string, version: string, spec: JsonObject): JsonObject => ({
    apiVersion: `${group}/${version}`,
    kind: 'Widget',
    metadata: { name },
    spec,
  });
  const deployment = (name: string): JsonObject => ({
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  });

  beforeAll(async () => {
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              replicas: { type: 'integer' },
              size: { type: 'integer', default: 1 },
              note: { type: 'string' },
            },
          },
          status: { type: 'object', properties: { replicas: { type: 'integer' } } },
        },
      },
    };
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const version = (name: string, storage: boolean): JsonObject => {
      return { name, served: true, storage, schema, subresources: { status: {}, scale } };
    };
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `widgets.${group}` },
      spec: { group, names, scope: 'Namespaced', versions: [version('v1', true), version('v2', false)] },
    });
    await vi.waitFor(async () => {
      for (const one of ['v1', 'v2']) expect((await call('GET', widgets(one))).status).toBe(200);
      expect((await call('POST', `${widgets('v1')}?dryRun=All`, widget('probe', 'v1', {}))).status).toBe(201);
    }, 20_000);
  });
  afterAll(async () => {
    const transport = server().transport();
    await transport.request({
      method: 'DELETE',
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`,
      headers: {},
    });
    await transport.close();
  });

  describe('rules', () => {
    test.each<[string, JsonObject, boolean]>([
      ['the resource', {}, true],
      ['everything', { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }, true],
      ['every subresource too', { resources: ['*/*'] }, true],
      ['another operation', { operations: ['UPDATE'] }, false],
      ['one of several operations', { operations: ['DELETE', 'CREATE'] }, true],
      ['another group', { apiGroups: ['apps'] }, false],
      ['another version', { apiVersions: ['v2'] }, false],
      ['another resource', { resources: ['secrets'] }, false],
      ['subresources only', { resources: ['configmaps/status', '*/scale'] }, false],
      ['what is in a namespace', { scope: 'Namespaced' }, true],
      ['what is in none', { scope: 'Cluster' }, false],
    ])('that name %s', async (_title, fields, expected) => {
      const [asked = []] = await register('validating', { with: { rules: [{ ...RULE, ...fields }] } });
      await call('POST', maps, map());
      expect(asked.length > 0).toBe(expected);
    });

    test('see subresources by name: of scale a Scale, of status the object', async () => {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await call('POST', path, deployment('scaled'));
      const rules = [
        {
          ...RULE,
          apiGroups: ['apps'],
          resources: ['deployments/scale', 'deployments/status'],
          operations: ['UPDATE'],
        },
      ];
      const [asked = []] = await register('mutating', {
        with: { rules },
        answering: (request) =>
          at(request, 'subResource') === 'scale'
            ? patchOf([{ op: 'replace', path: '/spec/replicas', value: 7 }])
            : { allowed: true },
      });
      const answer = await call('PATCH', `${path}/scaled/scale`, { spec: { replicas: 3 } }, PATCH.merge);
      expect(at(answer.body, 'spec', 'replicas')).toBe(7);
      await call('PATCH', `${path}/scaled/status`, { status: { replicas: 1 } }, PATCH.merge);
      expect(
        asked.map((one) => [at(one, 'subResource'), at(one, 'kind'), at(one, 'resource', 'resource')]),
      ).toEqual([
        ['scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'deployments'],
        ['status', { group: 'apps', version: 'v1', kind: 'Deployment' }, 'deployments'],
      ]);
      expect(at(asked[0], 'oldObject', 'spec', 'replicas')).toBe(1);
      expect(at(asked[0], 'object', 'spec', 'replicas')).toBe(3);
    });

    test('see an eviction as a subresource of pods, whatever group its kind has', async () => {
      const pod = { metadata: { name: 'evicted' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
      await call('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
      const rules = [{ ...RULE, apiGroups: [''], resources: ['pods/eviction'], operations: ['CREATE'] }];
      const [asked = []] = await register('validating', { with: { rules } });
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted' } };
      await call('POST', `/api/v1/namespaces/${namespace}/pods/evicted/eviction`, eviction);
      expect(
        asked.map((one) => [at(one, 'name'), at(one, 'subResource'), at(one, 'kind'), at(one, 'resource')]),
      ).toEqual([
        [
          'evicted',
          'eviction',
          { group: 'policy', version: 'v1', kind: 'Eviction' },
          { group: '', version: 'v1', resource: 'pods' },
        ],
      ]);
    });

    test('see namespaces as cluster-scoped objects in themselves', async () => {
      const rules = [{ ...RULE, resources: ['namespaces'], scope: 'Cluster' }];
      const selector = { namespaceSelector: { matchLabels: { of: id } } };
      const [asked = []] = await register('validating', { with: { rules, ...selector } });
      const name = `${id}-inner`;
      await call('POST', '/api/v1/namespaces', { metadata: { name, labels: { of: id } } });
      await call('DELETE', `/api/v1/namespaces/${name}`);
      expect(asked.map((one) => [at(one, 'operation'), at(one, 'name'), at(one, 'namespace')])).toEqual([
        ['CREATE', name, name],
        ['DELETE', name, name],
      ]);
    });

    test('never see configurations of webhooks', async () => {
      const name = `${id}-exempt`;
      const selector = { objectSelector: { matchLabels: { of: id } } };
      await register('validating', {
        with: { rules: [ALL], ...selector },
        answering: () => ({ allowed: false }),
      });
      const metadata = { name, labels: { of: id } };
      const made = await call('POST', configurations('mutating'), { metadata, webhooks: [] });
      expect(made.status).toBe(201);
      expect((await call('DELETE', `${configurations('mutating')}/${name}`)).status).toBe(200);
    });
  });

  describe('selectors', () => {
    test('of objects match the new or the old one', async () => {
      const [asked = []] = await register('validating', {
        with: { objectSelector: { matchLabels: { pick: 'me' } } },
      });
      const object = map({ metadata: { labels: { pick: 'me' } } });
      const path = `${maps}/${object.metadata.name}`;
      await call('POST', maps, object);
      await call('PATCH', path, { metadata: { labels: { pick: null } } }, PATCH.merge);
      await call('PATCH', path, { data: { a: 'b' } }, PATCH.merge);
      await call('DELETE', path);
      expect(asked.map((one) => at(one, 'operation'))).toEqual(['CREATE', 'UPDATE']);
    });

    test('see what other webhooks did', async () => {
      await register('mutating', {
        answering: () => patchOf([{ op: 'add', path: '/metadata/labels', value: { made: 'so' } }]),
      });
      const [asked = []] = await register('validating', {
        with: { objectSelector: { matchLabels: { made: 'so' } } },
      });
      await call('POST', maps, map());
      expect(asked).toHaveLength(1);
    });

    test('of namespaces do not match others', async () => {
      const [asked = []] = await register('validating', {
        with: {
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [id] }],
          },
          objectSelector: { matchLabels: { of: id } },
        },
      });
      await call('POST', maps, map({ metadata: { labels: { of: id } } }));
      expect(asked).toEqual([]);
    });
  });

  describe('conditions', () => {
    test.each<[string, string, boolean]>([
      ['the object', 'object.data.a == "1"', true],
      ['the object, otherwise', 'object.data.a == "2"', false],
      ['no old object', 'oldObject == null', true],
      ['the user', '"system:masters" in request.userInfo.groups && request.operation == "CREATE"', true],
      [
        'the request',
        `request.namespace == "${id}" && request.resource.resource == "configmaps" && !request.dryRun`,
        true,
      ],
      ['the options', 'request.options.fieldManager == "me"', true],
      ['rights to the object', 'authorizer.requestResource.check("create").allowed()', true],
      [
        'rights to others',
        'authorizer.serviceAccount("default", "nobody").group("").resource("secrets").check("get").allowed()',
        false,
      ],
    ])('on %s', async (_title, expression, expected) => {
      const [asked = []] = await register('validating', {
        with: { matchConditions: [{ name: 'c', expression }] },
      });
      await call('POST', `${maps}?fieldManager=me`, map({ data: { a: '1' } }));
      expect(asked.length > 0).toBe(expected);
    });

    test('all must hold, and one that does not settles it before one that fails', async () => {
      const conditions = ['object.no.such == 1', 'false'].map((expression, index) => ({
        name: `c${index}`,
        expression,
      }));
      const [asked = []] = await register('validating', { with: { matchConditions: conditions } });
      expect((await call('POST', maps, map())).status).toBe(201);
      expect(asked).toEqual([]);
    });

    test('that fail refuse the write, or are as if false', async () => {
      const matchConditions = [{ name: 'c', expression: 'object.no.such == 1' }];
      await register('validating', { with: { matchConditions, failurePolicy: 'Ignore' } });
      expect((await call('POST', maps, map())).status).toBe(201);
      await register('validating', { with: { matchConditions } });
      const object = map();
      const { status, body } = await call('POST', maps, object);
      expect([status, body['reason'], body['message']]).toEqual([
        403,
        'Forbidden',
        `configmaps "${object.metadata.name}" is forbidden: expression 'object.no.such == 1' resulted in error: no such key: no`,
      ]);
    });
  });

  describe('custom resources', () => {
    const rules = (version: string): JsonObject[] => [
      { ...RULE, apiGroups: [group], apiVersions: [version], resources: ['widgets', 'widgets/*'] },
    ];

    test('are defaulted after each mutation, and pruned', async () => {
      const [asked = []] = await register('mutating', {
        with: { rules: rules('v1') },
        answering: () =>
          patchOf([
            { op: 'add', path: '/spec/note', value: 'hi' },
            { op: 'add', path: '/spec/unknown', value: 'gone' },
            { op: 'remove', path: '/spec/size' },
          ]),
      });
      const { body } = await call('POST', widgets('v1'), widget('mutated', 'v1', {}));
      expect(at(asked[0], 'object', 'spec')).toEqual({ size: 1 });
      expect(at(body, 'spec')).toEqual({ size: 1, note: 'hi' });
      expect(at((await call('GET', `${widgets('v1')}/mutated`)).body, 'spec')).toEqual({
        size: 1,
        note: 'hi',
      });
    });

    test('are shown in the version of the rule, unless it is to match exactly', async () => {
      const [equivalent = [], exact = []] = await register(
        'mutating',
        {
          with: { rules: rules('v1') },
          answering: () => patchOf([{ op: 'add', path: '/spec/note', value: 'one' }]),
        },
        { with: { rules: rules('v1'), matchPolicy: 'Exact' } },
      );
      const { body } = await call('POST', widgets('v2'), widget('other', 'v2', { size: 2 }));
      expect([body['apiVersion'], at(body, 'spec', 'note')]).toEqual([`${group}/v2`, 'one']);
      expect(exact).toEqual([]);
      expect([
        at(equivalent[0], 'kind', 'version'),
        at(equivalent[0], 'resource', 'version'),
        at(equivalent[0], 'requestKind', 'version'),
        at(equivalent[0], 'requestResource', 'version'),
        at(equivalent[0], 'object', 'apiVersion'),
      ]).toEqual(['v1', 'v1', 'v2', 'v2', `${group}/v1`]);
    });

    test('have status and scale', async () => {
      await call('POST', widgets('v1'), widget('parts', 'v1', { replicas: 1 }));
      const [asked = []] = await register('validating', { with: { rules: rules('v1') } });
      const path = `${widgets('v1')}/parts`;
      await call('PATCH', `${path}/status`, { status: { replicas: 1 } }, PATCH.merge);
      await call('PATCH', `${path}/scale`, { spec: { replicas: 2 } }, PATCH.merge);
      expect(asked.map((one) => [at(one, 'subResource'), at(one, 'object', 'kind')])).toEqual([
        ['status', 'Widget'],
        ['scale', 'Scale'],
      ]);
    });
  });
}
