import { expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import { classOf, renderingOf, SETTINGS } from '../testing/class-bench.ts';
import { safeName } from './safe-name.ts';
import { render } from './render.ts';
import { selectTemplate } from './template.ts';

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
  ['dev', undefined, 'dev'],
  ['full', undefined, 'k8s_deployment'],
  ['dev', 'k8s', 'k8s_deployment'],
  ['dev', 'kn', 'dev'],
])('CRT-T01 profile %s, template %s: %s', (profile, selected_template, expected) => {
  const runtime = selected_template === undefined ? classOf() : withSpec(classOf(), { selected_template });
  const { template, isFallback } = selectTemplate(runtime, { profile });
  expect(template.id).toBe(expected);
  expect(isFallback).toBe(selected_template === 'kn');
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

test('CRT-T04 a function in WASM has no Deployment', () => {
  const functions = [{ function_key: 'pkg.transform', provision_config: { wasm_module_url: 'oci://x' } }];
  const { objects, functions: rendered } = renderingOf(withSpec(classOf({ odgm: true }), { functions }));
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['hello-odgm', 'hello-odgm-svc']);
  expect(rendered[0]).toMatchObject({ service: 'hello-odgm-svc', url: 'wasm://pkg.transform' });
});

test('CRT-T05 the order of keys does not count', () => {
  const runtime = withSpec(classOf({ odgm: true }), ROUTES);
  const { odgm_config } = ROUTES;
  const options = Object.fromEntries(Object.entries(odgm_config.options).toReversed());
  const turned = withSpec(runtime, { odgm_config: { ...odgm_config, options } });
  expect(JSON.stringify(renderingOf(turned))).toBe(JSON.stringify(renderingOf(runtime)));
});

test('CRT-T06 env is sorted, and what the user says wins', () => {
  const [main] = classOf().spec.functions;
  const functions = main === undefined ? [] : [{ ...main, config: { Z: '1', ODGM_ENABLED: 'false' } }];
  const env = envOf(withSpec(classOf({ odgm: true }), { functions }), 'hello');
  expect(Object.keys(env)).toEqual(['ODGM_ENABLED', 'ODGM_SERVICE', 'Z']);
  expect(env['ODGM_ENABLED']).toBe('false');
});

test('CRT-T07 the port of ODGM_SERVICE is one that the Service has', () => {
  const runtime = classOf({ odgm: true });
  expect(envOf(runtime, 'hello')['ODGM_SERVICE']).toBe('hello-odgm-svc:80');
  const service = renderingOf(runtime).objects.find(({ metadata }) => metadata.name === 'hello-odgm-svc');
  expect(service?.spec).toMatchObject({ ports: [{ port: 80, targetPort: 8080 }, { port: 17447 }] });
});

test('CRT-T08 no node id: neither ODGM_NODE_ID nor ODGM_MEMBERS', () => {
  const env = envOf(withSpec(classOf({ odgm: true }), ROUTES), 'hello-odgm');
  expect(env).not.toHaveProperty('ODGM_NODE_ID');
  expect(env).not.toHaveProperty('ODGM_MEMBERS');
});

test('CRT-T09 a name that becomes too long', () => {
  const runtime = classOf({ odgm: true });
  const long = { ...runtime, metadata: { ...runtime.metadata, name: 'n'.repeat(60) } };
  expect(render(long, SETTINGS)).toEqual({
    error: `Deployment/${'n'.repeat(60)}-odgm has a name of more than 63 characters`,
  });
});

test("CRT-T10 the class's key is no part of a selector", () => {
  const rendered = renderingOf(withSpec(classOf({ odgm: true }), { package_class_key: 'shop.cart' }));
  for (const { spec } of rendered.objects) expect(JSON.stringify(spec?.selector)).not.toContain('shop.cart');
});
