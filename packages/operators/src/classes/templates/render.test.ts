import { expect, test } from 'vitest';
import type { ClassRuntime, OdgmConfig } from '../api.ts';
import { classOf, renderingOf, SETTINGS } from '../testing/class-bench.ts';
import { readSettings } from '../settings.ts';
import { safeName } from './safe-name.ts';
import { render } from './render.ts';
import { selectTemplate } from './select-template.ts';

const withSpec = (runtime: ClassRuntime, spec: Partial<ClassRuntime['spec']>): ClassRuntime => ({
  ...runtime,
  spec: { ...runtime.spec, ...spec },
});
const envOf = (runtime: ClassRuntime, name: string): Readonly<Record<string, string | undefined>> => {
  const found = renderingOf(runtime).objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
  );
  const containers = found?.kind === 'Deployment' ? found.spec?.template?.spec?.containers : undefined;
  return Object.fromEntries((containers?.[0]?.env ?? []).map((each) => [each.name ?? '', each.value]));
};

test.each([
  [{ OPRC_CRM_PROFILE: 'dev' }, undefined, 'dev', 'Score'],
  [{ OPRC_CRM_PROFILE: 'edge' }, undefined, 'edge', 'Score'],
  [{ OPRC_CRM_PROFILE: 'full', OPRC_ENV_IS_EDGE: 'true' }, undefined, 'edge', 'Score'],
  [{ OPRC_CRM_PROFILE: 'full', OPRC_ENV_IS_DATACENTER: 'true' }, undefined, 'k8s_deployment', 'Score'],
  [{ OPRC_CRM_PROFILE: 'full' }, undefined, 'k8s_deployment', 'Score'],
  [{ OPRC_CRM_PROFILE: 'dev' }, 'edge', 'edge', 'Named'],
  [{ OPRC_CRM_PROFILE: 'dev' }, 'k8s', 'k8s_deployment', 'Named'],
  [{ OPRC_CRM_PROFILE: 'dev' }, 'deployment', 'k8s_deployment', 'Named'],
  [{ OPRC_CRM_PROFILE: 'dev' }, 'none', 'dev', 'Fallback'],
])('CRT-T01 environment %o, template %s: %s', (env, selected_template, expected, why) => {
  const runtime = selected_template === undefined ? classOf() : withSpec(classOf(), { selected_template });
  const { template, reason } = selectTemplate(runtime, readSettings(env));
  expect(template.id).toBe(expected);
  expect(reason).toBe(why);
});

test('CRT-T01 requirements count where settings say nothing', () => {
  const runtime = withSpec(classOf(), {
    nfr_requirements: { min_throughput_rps: 2000, max_latency_ms: 40, consistency: 'strong' },
  });
  expect(selectTemplate(runtime, readSettings({ OPRC_CRM_PROFILE: 'other' })).scores).toMatchObject({
    dev: -10,
    edge: 4,
    k8s_deployment: 108,
  });
});

test('CRT-T02 one function: Deployment and Service by its name and port', () => {
  const runtime = withSpec(classOf(), {
    functions: [{ function_key: 'fn-1', provision_config: { container_image: 'x:1', port: 9090 } }],
  });
  const { objects, functions } = renderingOf(runtime);
  expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
    'Deployment/hello',
    'Service/hello',
  ]);
  expect(objects[1]?.spec).toMatchObject({ ports: [{ port: 80, targetPort: 9090 }] });
  expect(functions[0]?.url).toBe('http://hello.default.svc.cluster.local/');
  expect(safeName('OrderSvc')).toBe('ordersvc');
});

const ROUTES = {
  odgm_config: {
    partition_count: 1,
    replica_count: 1,
    collections: ['c'],
    options: { b: '2', a: '1', c: '3' },
    invocations: { fn_routes: { a: { url: 'http://custom-a:9000/', stateless: false } } },
  },
};

test("CRT-T03 two functions; a user's route is kept, the other is predicted", () => {
  const runtime = withSpec(classOf({ functions: ['pkg.a', 'pkg.b'], odgm: true }), ROUTES);
  const [collection] = JSON.parse(
    envOf(runtime, 'hello-odgm')['ODGM_COLLECTION'] ?? '[]',
  ) as readonly object[];
  expect(collection).toMatchObject({
    name: 'c',
    invocations: {
      fn_routes: {
        a: { url: 'http://custom-a:9000/', stateless: false },
        b: { url: 'http://hello-fn-1.default.svc.cluster.local/', stateless: true },
      },
    },
  });
});

test('CRT-T04 a function in WASM has no Deployment, and its module is in the route', () => {
  const functions = [{ function_key: 'pkg.transform', provision_config: { wasm_module_url: 'oci://x' } }];
  const runtime = withSpec(classOf({ odgm: true }), { ...ROUTES, functions });
  const { objects, functions: rendered } = renderingOf(runtime);
  const [collection] = JSON.parse(
    envOf(runtime, 'hello-odgm')['ODGM_COLLECTION'] ?? '[]',
  ) as readonly object[];
  expect(collection).toMatchObject({
    invocations: { fn_routes: { transform: { url: 'wasm://pkg.transform', wasm_module_url: 'oci://x' } } },
  });
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['hello-odgm', 'hello-odgm-svc']);
  for (const selected_template of ['dev', 'edge', 'k8s_deployment', 'knative']) {
    const other = renderingOf(withSpec(runtime, { selected_template }));
    expect(other.template).toBe(selected_template);
    expect(other.objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Deployment/hello-odgm',
      'Service/hello-odgm-svc',
    ]);
  }
  expect(rendered[0]).toMatchObject({ service: 'hello-odgm-svc', url: 'wasm://pkg.transform' });
});

test('CRT-T05 five routes and five options: 100 renders are byte-identical', () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const options = Object.fromEntries(keys.map((key) => [key, key]));
  const odgm_config = { partition_count: 1, replica_count: 1, collections: ['c'], options };
  const runtime = withSpec(classOf({ functions: keys, odgm: true }), { odgm_config });
  const renders = Array.from({ length: 100 }, () => JSON.stringify(renderingOf(runtime)));
  expect(new Set(renders).size).toBe(1);
});

test('CRT-T05 CRT-D17 the order of keys does not count', () => {
  const routes = ['a', 'b', 'c', 'd', 'e'].map((id) => [id, { url: `http://${id}` }] as const);
  const withRoutes = (fn_routes: object, options: object) =>
    withSpec(classOf({ odgm: true }), {
      odgm_config: { ...ROUTES.odgm_config, options, invocations: { fn_routes } } as OdgmConfig,
    });
  const { options } = ROUTES.odgm_config;
  const runtime = withRoutes(Object.fromEntries(routes), options);
  const turned = withRoutes(
    Object.fromEntries(routes.toReversed()),
    Object.fromEntries(Object.entries(options).toReversed()),
  );
  expect(JSON.stringify(renderingOf(turned))).toBe(JSON.stringify(renderingOf(runtime)));
});

test.each([
  ['http://cart', 'http://cart.default.svc.cluster.local/'],
  ['http://cart:80/buy', 'http://cart.default.svc.cluster.local/buy/'],
  ['http://cart:9000/', 'http://cart:9000/'],
  ['https://cart', 'https://cart'],
  ['http://shop.example/', 'http://shop.example/'],
])('CRT-T03 the route %s becomes %s', (url, expected) => {
  const odgm_config = { ...ROUTES.odgm_config, invocations: { fn_routes: { other: { url } } } };
  const env = envOf(withSpec(classOf({ odgm: true }), { odgm_config }), 'hello-odgm');
  expect(JSON.parse(env['ODGM_COLLECTION'] ?? '')).toMatchObject([
    { invocations: { fn_routes: { other: { url: expected } } } },
  ]);
});

test.each([
  [
    'whole',
    [
      { primary: 1, replica: [7, 8], shard_ids: [1, 2] },
      { replica: [7, 8], shard_ids: [3, 4] },
    ],
    2,
  ],
  ['a partition is missing', [{ primary: 1, replica: [7, 8], shard_ids: [1, 2] }], 0],
  ['a shard twice', [1, 2].map(() => ({ replica: [7, 8], shard_ids: [1, 2] })), 0],
  ['a replica is missing', [1, 2].map((id) => ({ replica: [7], shard_ids: [id] })), 0],
  ['a foreign primary', [1, 3].map((id) => ({ primary: 9, replica: [7, 8], shard_ids: [id, id + 1] })), 0],
])('CRT-T03 assignments of shards: %s', (_title, assignments, count) => {
  const counts = { partition_count: 2, replica_count: 2 };
  const odgm_config = { ...counts, collections: ['c'], collection_assignments: { c: assignments } };
  const env = envOf(withSpec(classOf({ odgm: true }), { odgm_config }), 'hello-odgm');
  const [collection] = JSON.parse(env['ODGM_COLLECTION'] ?? '[]') as readonly {
    shard_assignments: object[];
  }[];
  expect(collection?.shard_assignments).toHaveLength(count);
});

test('CRT-T06 workloads connect to the first router', () => {
  const runtime = classOf({ odgm: true });
  const routers = [
    { service: 'r1', port: 7447 },
    { service: 'r2', port: 1 },
  ];
  const rendered = render(runtime, SETTINGS, { routers });
  const text = JSON.stringify(rendered);
  expect(text).toContain('{"name":"OPRC_ZENOH_PEERS","value":"tcp/r1:7447"}');
  expect(text).toContain('{"name":"OPRC_ZENOH_MODE","value":"client"}');
  expect(text).toContain('{"name":"OPRC_ZENOH_MODE","value":"peer"}');
  expect(text).toContain('{"name":"OPRC_ZENOH_PORT","value":"17447"}');
  expect(text).not.toContain('r2');
});

test('CRT-T06 env is sorted, and what the user says wins', () => {
  const [main] = classOf().spec.functions;
  const functions = main === undefined ? [] : [{ ...main, config: { Z: '1', ODGM_ENABLED: 'false' } }];
  const env = envOf(withSpec(classOf({ odgm: true }), { functions }), 'hello');
  expect(Object.keys(env)).toEqual(['ODGM_ENABLED', 'ODGM_SERVICE', 'Z']);
  expect(env['ODGM_ENABLED']).toBe('false');
});

test('CRT-T07 CRT-D16 the port of ODGM_SERVICE is one that the Service has', () => {
  const runtime = classOf({ odgm: true });
  expect(envOf(runtime, 'hello')['ODGM_SERVICE']).toBe('hello-odgm-svc:80');
  const service = renderingOf(runtime).objects.find(({ metadata }) => metadata.name === 'hello-odgm-svc');
  expect(service?.spec).toMatchObject({ ports: [{ port: 80, targetPort: 8080 }, { port: 17447 }] });
});

test('CRT-T08 CRT-D16 no node id: neither ODGM_NODE_ID nor ODGM_MEMBERS', () => {
  const env = envOf(withSpec(classOf({ odgm: true }), ROUTES), 'hello-odgm');
  expect(env).not.toHaveProperty('ODGM_NODE_ID');
  expect(env).not.toHaveProperty('ODGM_MEMBERS');
});

test('ids of 64 bits are rendered as they are, whatever their size', () => {
  const id = 9_007_199_254_740_993n as never;
  const odgm_config = { ...ROUTES.odgm_config, node_id: id, env_node_ids: { a: [id, 7], b: [7] } };
  const env = envOf(withSpec(classOf({ odgm: true }), { odgm_config }), 'hello-odgm');
  expect(env).toMatchObject({ ODGM_NODE_ID: '9007199254740993', ODGM_MEMBERS: '7,9007199254740993' });
});

test('CRT-T09 a name that becomes too long', () => {
  const runtime = classOf({ odgm: true });
  const long = { ...runtime, metadata: { ...runtime.metadata, name: 'n'.repeat(60) } };
  expect(render(long, SETTINGS)).toEqual({
    error: `Deployment/${'n'.repeat(60)}-odgm has a name of more than 63 characters`,
  });
});

test.each(['my.shop', 'a.b'])('CRT-T09 CRT-D18 the name %s cannot be that of a Service', (name) => {
  const runtime = classOf();
  const rendered = render({ ...runtime, metadata: { ...runtime.metadata, name } }, SETTINGS);
  expect(rendered).toEqual({ error: expect.stringContaining(name) });
});

test("CRT-T10 the class's key is no part of a selector", () => {
  const rendered = renderingOf(withSpec(classOf({ odgm: true }), { package_class_key: 'shop.cart' }));
  for (const { spec } of rendered.objects) {
    const selector = spec !== undefined && 'selector' in spec ? spec.selector : undefined;
    expect(JSON.stringify(selector)).toContain('app');
    expect(JSON.stringify(selector)).not.toContain('shop.cart');
  }
});

test.each([
  [1, undefined, undefined],
  [0.25, 'parentbased_traceidratio', '0.25'],
])('CRT-T11 telemetry with the rate %s: the sampler is %s', (sampling_rate, sampler, arg) => {
  const telemetry = { enabled: true, sampling_rate, resource_attributes: { zone: 'b', env: 'a' } };
  const env = envOf(withSpec(classOf({ odgm: true }), { telemetry }), 'hello');
  expect(env).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4317',
    OTEL_SERVICE_NAME: 'hello',
    OTEL_TRACES_ENABLED: 'true',
    OTEL_LOGS_ENABLED: 'false',
    OTEL_RESOURCE_ATTRIBUTES: 'env=a,zone=b',
  });
  expect([env['OTEL_TRACES_SAMPLER'], env['OTEL_TRACES_SAMPLER_ARG']]).toEqual([sampler, arg]);
  const odgm = envOf(withSpec(classOf({ odgm: true }), { telemetry }), 'hello-odgm');
  expect(odgm['OTEL_SERVICE_NAME']).toBe('hello-odgm');
});
