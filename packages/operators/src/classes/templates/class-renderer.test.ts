import { expect, test } from 'vitest';
import { classOf, SETTINGS } from '../testing/class-bench.ts';
import { classRenderer } from './class-renderer.ts';

const NOTHING = {};
const ROUTER = { service: 'router', port: 17_447 };

test('a class whose spec is the same is not rendered again when its status or labels change', () => {
  const renderer = classRenderer(SETTINGS);
  const runtime = classOf();
  const first = renderer(runtime, NOTHING);
  const written = { ...runtime, metadata: { ...runtime.metadata, labels: { a: 'b' } }, status: {} };
  expect(renderer(written, NOTHING)).toBe(first);
});

test('another generation, another class of its name, a router or Knative: it is rendered anew', () => {
  const renderer = classRenderer(SETTINGS);
  const runtime = classOf();
  const { metadata } = runtime;
  const image = (container_image: string) => ({
    ...runtime.spec,
    functions: runtime.spec.functions.map((each) => ({ ...each, provision_config: { container_image } })),
  });
  const hashes = [
    renderer(runtime, NOTHING),
    renderer({ ...runtime, metadata: { ...metadata, generation: 7 }, spec: image('b') }, NOTHING),
    renderer({ ...runtime, metadata: { ...metadata, uid: 'other' }, spec: image('c') }, NOTHING),
    renderer({ ...runtime, spec: { ...runtime.spec, addons: [] } }, { routers: [ROUTER] }),
    renderer({ ...runtime, spec: { ...runtime.spec, selected_template: 'knative' } }, { hasKnative: true }),
  ].map(({ rendered }) => ('error' in rendered ? rendered.error : rendered.hash));
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('the overrides of a class are in its settings', () => {
  const runtime = classOf();
  const spec = { ...runtime.spec, timeouts: { progress_timeout_secs: 7 } };
  expect(classRenderer(SETTINGS)({ ...runtime, spec }, NOTHING).settings.progressTimeout).toBe(7);
});
