import { describe, expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import { MAX_SCALE, MIN_SCALE } from '../knative-api.ts';
import {
  childrenOf,
  classOf,
  decidedAt,
  knativeStatus,
  podOf,
  renderingOf,
  SETTINGS,
  statusOf,
} from '../testing/class-bench.ts';
import { detailOf, enforcedClass, loadFor, look, play, UNBOUNDED } from '../testing/enforcement-bench.ts';
import { render } from '../templates/render.ts';
import type { Live, LiveKnative } from './observed-class.ts';
import { isServing, readinessOf } from './readiness.ts';

const HELLO = classOf({ template: 'knative' });
const PENDING = { latestCreatedRevisionName: 'hello-00002' };

function serviceOf(runtime: ClassRuntime, status = knativeStatus(), generation = 1): LiveKnative {
  const found = childrenOf(runtime).find(
    (object): object is LiveKnative => object.apiVersion === 'serving.knative.dev/v1',
  );
  if (found === undefined) throw new TypeError('there is a Service of Knative');
  return { ...found, metadata: { ...found.metadata, generation }, status };
}

test.each<readonly [string, LiveKnative['status'], number, string | undefined]>([
  ['CRT-K11 ready, and not observed', knativeStatus(), 2, 'NotObserved'],
  [
    'CRT-K12 the next Revision is not ready',
    knativeStatus({ Ready: 'Unknown' }, PENDING),
    1,
    'RevisionPending',
  ],
  [
    'CRT-K13 no Revision yet is no failure',
    knativeStatus(
      {
        Ready: 'False/RevisionMissing',
        RoutesReady: 'False/RevisionMissing',
        ConfigurationsReady: 'Unknown',
      },
      { ...PENDING, latestReadyRevisionName: '' },
    ),
    1,
    'RevisionPending',
  ],
  [
    'CRT-K14 a Revision that failed is one',
    knativeStatus({ Ready: 'False/RevisionFailed', ConfigurationsReady: 'False/RevisionFailed' }, PENDING),
    1,
    'RevisionFailed',
  ],
  // Its Revision says Active=False/NoTraffic, the Service stays ready.
  ['CRT-K15 scaled to zero', knativeStatus(), 1, undefined],
  [
    'the Revision is ready, and has no traffic yet',
    knativeStatus({ Ready: 'Unknown', RoutesReady: 'Unknown' }),
    1,
    'TrafficMigrating',
  ],
  ['nothing is reported yet', {}, 1, 'NotObserved'],
])('%s', (_title, status, generation, reason) => {
  const [desired] = renderingOf(HELLO).objects;
  if (desired === undefined) throw new TypeError('there is an object');
  const readiness = readinessOf(serviceOf(HELLO, status, generation), desired);
  expect(readiness).toMatchObject({ ready: reason === undefined });
  expect(readiness.reason).toBe(reason);
});

describe('a class whose functions are Services of Knative', () => {
  test('each has one object, with what the function asks for', () => {
    const provision_config = {
      container_image: 'a:1',
      port: 9000,
      need_http2: true,
      max_concurrency: 7,
      min_scale: 2,
      max_scale: 9,
      cpu_request: '100m',
    };
    const spec = { ...HELLO.spec, functions: [{ function_key: 'a', provision_config }] };
    const { objects, functions, selection } = renderingOf({ ...HELLO, spec });
    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({
      apiVersion: 'serving.knative.dev/v1',
      metadata: { name: 'hello', labels: { 'networking.knative.dev/visibility': 'cluster-local' } },
      spec: {
        template: {
          metadata: { annotations: { [MIN_SCALE]: '2', [MAX_SCALE]: '9' } },
          spec: {
            containerConcurrency: 7,
            containers: [
              { ports: [{ name: 'h2c', containerPort: 9000 }], resources: { requests: { cpu: '100m' } } },
            ],
          },
        },
      },
    });
    expect(functions[0]?.url).toBe('http://hello.default.svc.cluster.local/');
    expect(selection).toMatchObject({ selected: 'knative', reason: 'Named' });
  });

  test.each([
    [{}, undefined, undefined],
    [{ profile: 'full' }, true, 'knative'],
    [{ isDatacenter: true, profile: 'other' }, true, 'knative'],
    [{ profile: 'full' }, false, 'k8s_deployment'],
    [{ profile: 'full', knative: false }, true, 'k8s_deployment'],
  ])('CRT-T01 with settings %o and Knative %s the template is %s', (settings, hasKnative, expected) => {
    const rendered = render(classOf(), { ...SETTINGS, ...settings }, { hasKnative });
    expect(rendered).toMatchObject({ template: expected ?? 'dev' });
  });

  test('CRT-T01 without Knative another template is used, and an Event and the status say why', () => {
    const named = classOf({ template: 'kn' });
    const rendered = render(named, SETTINGS);
    const told = decidedAt(0, named, [], [], { rendered });
    const message = 'template "kn": the cluster does not serve serving.knative.dev/v1';
    expect(told.decision.status?.template).toMatchObject({ selected: 'dev', reason: 'Fallback', message });
    expect(told.decision.events).toContainEqual(
      expect.objectContaining({ reason: 'TemplateFallback', message: `${message}: dev is used` }),
    );
    const off = render(named, { ...SETTINGS, knative: false }, { hasKnative: true });
    expect(off).toMatchObject({
      selection: { message: 'template "kn": OPRC_CRM_FEATURES_KNATIVE is false' },
    });
  });

  test('CRT-D04 with Knative there, a class of Deployments is available when they are', () => {
    const dev = classOf({ template: 'dev' });
    const { decision, phase } = decidedAt(10, progressing(dev), childrenOf(dev));
    expect(phase).toBe('available');
    expect(decision.status?.functions).toMatchObject([{ ready: true, template: 'dev' }]);
  });

  test('without Knative it is looked for again', () => {
    const named = classOf({ template: 'kn', status: { phase: 'applying' } });
    const rendered = render(named, SETTINGS);
    const status = decidedAt(0, named, childrenOf(classOf()), [], { rendered }).decision.status ?? {};
    const later = decidedAt(100, { ...named, status }, childrenOf(classOf()), [], { rendered });
    expect(later).toMatchObject({ phase: 'available', requeue: 60 });
  });

  test('it is available at the address that Knative reports', () => {
    const { decision, phase } = decidedAt(10, progressing(HELLO), [serviceOf(HELLO)]);
    expect(phase).toBe('available');
    expect(decision.status).toMatchObject({
      functions: [
        { ready: true, template: 'knative', observed_url: 'http://hello.default.svc.cluster.local' },
      ],
      resource_refs: [{ kind: 'Service.serving.knative.dev', name: 'hello' }],
    });
  });

  test('CRT-S49 CRT-D05 the data grid counts, too', () => {
    const withGrid = classOf({ template: 'knative', odgm: true });
    const live = childrenOf(withGrid, { 'hello-odgm': 0 });
    expect(decidedAt(30, progressing(withGrid), live)).toMatchObject({ phase: 'progressing', requeue: 8 });
    expect(decidedAt(30, progressing(withGrid), childrenOf(withGrid))).toMatchObject({ phase: 'available' });
  });

  test('CRT-S50 the latest Revision failed, and the one before serves', () => {
    const status = knativeStatus(
      { Ready: 'False/RevisionFailed', ConfigurationsReady: 'False/RevisionFailed' },
      PENDING,
    );
    const told = decidedAt(60, progressing(HELLO), [serviceOf(HELLO, status)]);
    expect(told).toMatchObject({
      phase: 'degraded',
      reason: 'RevisionFailed',
      requeue: 10,
      events: ['Warning RevisionFailed'],
      message: 'ConfigurationsReady is False/RevisionFailed',
    });
    expect(told.decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Serving', status: 'True' }),
    );
    expect(told.decision.status?.functions).toMatchObject([{ ready: false, reason: 'RevisionFailed' }]);
  });

  test('its pods are looked at, as those of Deployments are', () => {
    const live = [serviceOf(HELLO, knativeStatus({ Ready: 'Unknown' }, PENDING))];
    const container = { name: 'function', image: '', imageID: '', ready: false, restartCount: 3 };
    const waiting = { ...container, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    const pod = podOf(HELLO, { containerStatuses: [waiting] });
    expect(decidedAt(30, progressing(HELLO), live, [pod])).toMatchObject({ reason: 'CrashLoop' });
  });
});

describe('a class that changes its template', () => {
  const before = childrenOf(classOf());
  const moving = progressing(HELLO);

  test('CRT-S51 what the old one made is deleted once the new one is ready', () => {
    const live = [serviceOf(HELLO), ...before];
    const told = decidedAt(30, moving, live);
    expect(told).toMatchObject({ phase: 'available', action: 'delete Deployment/hello' });
    expect(told.events).toContain('Normal OrphanDeleted');
  });

  test('a Service with the name that Knative needs is deleted when the new pods are ready, not before', () => {
    const revision = knativeStatus({ Ready: 'Unknown', RoutesReady: 'Unknown' });
    expect(decidedAt(30, moving, [serviceOf(HELLO, revision), ...before])).toMatchObject({
      phase: 'progressing',
      action: 'delete Service/hello',
    });
    const none = knativeStatus({ Ready: 'Unknown', RoutesReady: 'Unknown', ConfigurationsReady: 'Unknown' });
    expect(decidedAt(30, moving, [serviceOf(HELLO, none), ...before])).toMatchObject({ action: '-' });
  });

  test('back from Knative: its Service goes before one of that name is applied', () => {
    const [deployment, service] = before;
    if (deployment === undefined || service === undefined) throw new TypeError('there are two');
    const knatives = { ...service, metadata: { ...service.metadata, ownerReferences: [], annotations: {} } };
    const back = classOf({ status: statusOf(HELLO, 'available', 'Ready', 0), generation: 2 });
    const hello = serviceOf(HELLO);
    const live: readonly Live[] = [knatives, hello];
    expect(decidedAt(30, back, live)).toMatchObject({ action: 'apply Deployment/hello' });
    expect(decidedAt(30, back, [deployment, ...live])).toMatchObject({
      phase: 'applying',
      action: 'delete Service.serving.knative.dev/hello',
    });
    const going = { ...hello, metadata: { ...hello.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(decidedAt(30, back, [deployment, knatives, going])).toMatchObject({
      phase: 'applying',
      action: '-',
      requeue: 5,
    });
    expect(decidedAt(30, back, [deployment])).toMatchObject({ action: 'apply Service/hello' });
  });
});

describe('replicas of a Service of Knative', () => {
  const settings = { ...UNBOUNDED, stability: 60, cooldown: 120 };

  test('CRT-N26 CRT-K22 its minimum follows; the phase stays while the new Revision starts; twice the cooldown', () => {
    const start = enforcedClass({ template: 'knative', current: 1, maxScale: 18 });
    const state = play(start, 600, (t) => (t < 120 ? 3 : 6), settings);
    expect(state.applied).toEqual(['60 hello 1 -> 3', '300 hello 3 -> 6']);
    expect(state.runtime.status).toMatchObject({ phase: 'available' });
    expect(state.events).not.toContain('Warning ReadinessLost');
    const [service] = state.live;
    expect(service?.spec).toMatchObject({
      template: { metadata: { annotations: { [MIN_SCALE]: '6', [MAX_SCALE]: '18' } } },
    });
    const [desired] = renderingOf(HELLO).objects;
    if (desired === undefined) throw new TypeError('there is an object');
    expect(readinessOf(service, desired, true)).toEqual({ ready: true, reason: 'Scaling' });
    expect(isServing(service)).toBe(true);
  });

  test('CRT-K22 a Revision that never gets ready is no longer as good as the one before', () => {
    const scaled = play(enforcedClass({ template: 'knative' }), 120, () => 3, settings);
    expect(scaled.runtime.status).toMatchObject({ phase: 'available' });
    const lost = [620, 700, 701].reduce((now, t) => look(now, t, loadFor(now, 3, t), settings), scaled);
    const late = look(lost, 720, loadFor(lost, 3, 720), settings);
    expect(late.runtime.status).toMatchObject({
      phase: 'progressing',
      lifecycle: { reason: 'ReadinessLost' },
    });
    expect(late.runtime.status?.functions).toMatchObject([{ ready: false, reason: 'RevisionPending' }]);
  });

  test('CRT-N26 a change that is not worth a Revision is none', () => {
    const state = play(enforcedClass({ template: 'knative', current: 10 }), 600, () => 11, settings);
    expect(state.applied).toEqual([]);
    expect(detailOf(state)).toMatchObject({ recommended: 11, current: 10, decision: 'NoChange' });
  });
});

function progressing(runtime: ClassRuntime): ClassRuntime {
  return { ...runtime, status: statusOf(runtime, 'progressing', 'Progressing', 0) };
}
