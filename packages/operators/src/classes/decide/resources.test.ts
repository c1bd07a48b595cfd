import { expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import type { ClassLoad } from '../class-load.ts';
import {
  at,
  childrenOf,
  classOf,
  liveOf,
  podOf,
  SETTINGS,
  statusOf,
  timeAt,
} from '../testing/class-bench.ts';
import { autoscalerOf } from '../testing/enforcement-bench.ts';
import { render } from '../templates/render.ts';
import { decideClass, decideRefused } from './decide-class.ts';
import type { Live, LiveAutoscaler, LiveDeployment, LivePod, ObservedClass } from './observed-class.ts';
import { MI } from './recommend-resource.ts';

type Resources = NonNullable<
  NonNullable<LiveDeployment['spec']>['template']['spec']
>['containers'][number]['resources'];

type Situation = {
  readonly memory?: number;
  readonly podCpu?: number;
  readonly resources?: Resources;
  readonly dimensions?: readonly string[];
  readonly mode?: string;
  /** What the class itself asks for. */
  readonly own?: { readonly memory_request: string };
  readonly pods?: readonly LivePod[];
  readonly autoscaler?: LiveAutoscaler;
  readonly status?: ClassRuntime['status'];
};

const QUARTER_GIG = { requests: { memory: '256Mi' }, limits: { memory: '512Mi' } };

function classWith({ dimensions = ['memory'], mode = 'enforce', own, status }: Situation): ClassRuntime {
  const bare = classOf();
  const functions = bare.spec.functions.map((each) => ({
    ...each,
    provision_config: { ...each.provision_config, ...own },
  }));
  const runtime = { ...bare, spec: { ...bare.spec, functions, enforcement: { mode, dimensions } } };
  return { ...runtime, status: status ?? statusOf(runtime, 'available', 'Ready', -1000) };
}

/** A class of which each pod uses so much: memory in Mi. */
function observed(t: number, situation: Situation): ObservedClass {
  const { memory, podCpu, resources = QUARTER_GIG, pods = [], autoscaler } = situation;
  const runtime = classWith(situation);
  const load = {
    cpu: 300,
    at: at(t).getTime(),
    generation: 1,
    ...(memory === undefined ? {} : { memory: memory * MI }),
    ...(podCpu === undefined ? {} : { podCpu }),
  };
  const loads: ClassLoad = { uid: runtime.metadata.uid, functions: new Map([['main', load]]) };
  return {
    runtime,
    settings: SETTINGS,
    rendered: render(runtime, SETTINGS),
    live: childrenOf(runtime).map((object) => sized(object, resources)),
    pods,
    load: loads,
    autoscalers: autoscaler === undefined ? [] : [autoscaler],
  };
}

function sized(object: Live, resources: Resources): Live {
  if (object.kind !== 'Deployment' || object.spec?.template.spec === undefined) return object;
  const { template } = object.spec;
  const containers = object.spec.template.spec.containers.map((container) => ({
    ...container,
    ...(resources === undefined ? {} : { resources }),
  }));
  return {
    ...object,
    spec: { ...object.spec, template: { ...template, spec: { ...template.spec, containers } } },
  };
}

/** Looks at 0 and, with what was stored then, at `t`. */
function lookAt(t: number, situation: Situation) {
  const first = decideClass(observed(0, situation), at(0));
  const status = first.status ?? {};
  const second = decideClass(observed(t, { ...situation, status }), at(t));
  return { first, second, detail: second.status?.nfr_details?.[0]?.resources?.[0] };
}

test.each([
  ['CRT-A11', 110, { request: 192 * MI, limit: 384 * MI }],
  ['CRT-A12', 400, { request: 320 * MI, limit: 480 * MI }],
])(
  '%s memory follows what pods use, once that was the same for the stability window',
  (_id, memory, size) => {
    const { first, second, detail } = lookAt(180, { memory });
    expect(first.status?.nfr_details?.[0]?.resources).toMatchObject([{ decision: 'WaitStability' }]);
    expect(second.action).toMatchObject({ type: 'resize', resource: 'memory', size });
    // On record before it is written.
    expect(detail).toMatchObject({ decision: 'Apply', enforcement: { applying: size } });
  },
);

test('CRT-A13 what is about right is left alone', () => {
  const fine = lookAt(180, {
    memory: 205,
    resources: { requests: { memory: '256Mi' }, limits: { memory: '384Mi' } },
  });
  expect(fine.second.action).toBeUndefined();
  expect(fine.detail).toMatchObject({ decision: 'NoChange', recommended: 256 * MI });
});

test('CRT-A14 no less than what the class asks for', () => {
  const own = { memory_request: '256Mi' };
  const { second, detail } = lookAt(180, { memory: 100, own });
  expect(second.action).toBeUndefined();
  expect(detail).toMatchObject({ decision: 'NoChange', recommended: 256 * MI });
  expect(lookAt(180, { memory: 100 }).second.action).toMatchObject({ type: 'resize' });
});

test('CRT-A15 a container that was killed for want of memory: more at once, and an Event', () => {
  const ended = { exitCode: 137, reason: 'OOMKilled', finishedAt: timeAt(-10) };
  const container = { name: 'function', image: '', imageID: '', ready: true, restartCount: 1 };
  const pods = [
    podOf(classOf(), { containerStatuses: [{ ...container, lastState: { terminated: ended } }] }),
  ];
  const resources = { requests: { memory: '256Mi' }, limits: { memory: '384Mi' } };
  const { first, second } = lookAt(180, { memory: 180, pods, resources });
  expect(first.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'OOMKilled' }));
  expect(second.events).not.toContainEqual(expect.objectContaining({ reason: 'OOMKilled' }));
  expect(second.action).toMatchObject({ size: { request: 368 * MI, limit: 560 * MI } });
});

test('CRT-A16 CPU is left to an autoscaler that goes by its share, with an Event once', () => {
  const resources = { requests: { cpu: '100m' } };
  const situation = { podCpu: 400, dimensions: ['cpu'], resources, autoscaler: autoscalerOf(1, 5) };
  const { first, second, detail } = lookAt(180, situation);
  expect(first.events).toContainEqual(expect.objectContaining({ reason: 'NFRSkippedConflict' }));
  expect(second.events).not.toContainEqual(expect.objectContaining({ reason: 'NFRSkippedConflict' }));
  expect(second.action).toBeUndefined();
  expect(detail).toMatchObject({ dimension: 'cpu', recommended: 460, decision: 'SkipConflict' });
  const free = lookAt(180, { podCpu: 400, dimensions: ['cpu'], resources });
  expect(free.second.action).toMatchObject({ resource: 'cpu', size: { request: 125 } });
});

test.each([
  ['cpu', { type: 'Utilization', averageUtilization: 80 }, undefined],
  ['cpu', { type: 'AverageValue', averageValue: '200m' }, 'cpu'],
  ['memory', { type: 'Utilization', averageUtilization: 80 }, 'cpu'],
])(
  'CRT-A16 an autoscaler by %s, %o: CPU is left alone only where its share counts',
  (name, target, expected) => {
    const bare = autoscalerOf(1, 5);
    const metrics = [{ type: 'Resource', resource: { name, target } }];
    const autoscaler = { ...bare, spec: { ...bare.spec, metrics } };
    const resources = { requests: { cpu: '100m' } };
    const { second } = lookAt(180, { podCpu: 400, dimensions: ['cpu'], resources, autoscaler });
    expect(second.action).toEqual(
      expected === undefined ? undefined : expect.objectContaining({ type: 'resize', resource: expected }),
    );
  },
);

test('what is applied is found, counted and told once; then the cooldown holds', () => {
  const { second } = lookAt(180, { memory: 400 });
  const resources = { requests: { memory: '320Mi' }, limits: { memory: '480Mi' } };
  const third = decideClass(observed(181, { memory: 400, resources, status: second.status ?? {} }), at(181));
  expect(third.events).toContainEqual(
    expect.objectContaining({
      reason: 'NFRApplied',
      message: 'Applied NFR enforcement: memory -> 320Mi (main)',
    }),
  );
  expect(third.status).toMatchObject({
    last_applied_recommendations: [{ function_key: 'main', dimension: 'memory', target: 320 * MI }],
    nfr_recommendations: { memory: 480 * MI },
    nfr_details: [{ resources: [{ decision: 'WaitCooldown', enforcement: { applied_at: timeAt(181) } }] }],
  });
  const again = decideClass(observed(182, { memory: 400, resources, status: third.status ?? {} }), at(182));
  expect(again.events).toEqual([]);
});

test('pods that come after a change do not end the phase while old ones serve', () => {
  const { second } = lookAt(180, { memory: 400 });
  const { runtime, live, ...rest } = observed(185, { memory: 400, status: second.status ?? {} });
  const rolling = live.map((object) =>
    object.kind === 'Deployment' ? { ...object, status: { ...object.status, updatedReplicas: 0 } } : object,
  );
  const told = decideClass({ ...rest, runtime, live: rolling }, at(185));
  expect(told.status).toMatchObject({ phase: 'available', functions: [{ ready: true }] });
  expect(told.status?.lifecycle).not.toHaveProperty('unready_since');
  // No other change meanwhile.
  expect(told.action).toBeUndefined();
});

test('pods of another template that come soon after a change are no such pods', () => {
  const resources = { requests: { memory: '320Mi' }, limits: { memory: '480Mi' } };
  const { second } = lookAt(180, { memory: 400 });
  const third = decideClass(observed(181, { memory: 400, resources, status: second.status ?? {} }), at(181));
  const { runtime, settings } = observed(185, { memory: 400, status: third.status ?? {} });
  const [main] = runtime.spec.functions;
  const provision_config = { container_image: 'hello:2' };
  const functions = main === undefined ? [] : [{ ...main, provision_config }];
  const changed = { ...runtime, spec: { ...runtime.spec, functions } };
  const rendered = render(changed, settings);
  if ('error' in rendered) throw new TypeError(rendered.error);
  const live = rendered.objects.map((desired) => {
    const object = liveOf(desired, changed);
    return object.kind === 'Deployment'
      ? { ...object, status: { ...object.status, updatedReplicas: 0 } }
      : object;
  });
  const told = decideClass({ runtime: changed, settings, rendered, live, pods: [] }, at(185));
  expect(told.status?.lifecycle).toMatchObject({ ready: 1, total: 2 });
});

test('a change that the server rejects degrades the class, and is tried again', () => {
  const situation = { memory: 400 };
  const { second } = lookAt(180, situation);
  const before = observed(180, { ...situation, status: second.status ?? {} });
  const why = { reason: 'EnforceConflict', code: 409, message: 'Field manager ownership conflict' };
  const refused = decideRefused(before, why, at(180));
  expect(refused.status).toMatchObject({
    phase: 'degraded',
    lifecycle: { reason: 'EnforceConflict' },
    nfr_details: [{ resources: [{ enforcement: { failure: { attempts: 1 } } }] }],
  });
  const retried = decideClass(observed(191, { ...situation, status: refused.status ?? {} }), at(191));
  expect(retried.action).toMatchObject({ type: 'resize' });
});

test('once a resource is no longer enforced, what we have set is removed', () => {
  const { runtime, live, ...rest } = observed(0, { memory: 400, mode: 'observe' });
  const fields = { 'f:requests': { 'f:memory': {} } };
  const fieldsV1 = {
    'f:spec': {
      'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"function"}': { 'f:resources': fields } } } },
    },
  };
  const managedFields = [{ manager: 'oprc-crm-enforcer-memory', fieldsV1 }];
  const owned = live.map((object) => ({ ...object, metadata: { ...object.metadata, managedFields } }));
  const told = decideClass({ ...rest, runtime, live: owned }, at(0));
  expect(told.action).toMatchObject({ type: 'unsize', resource: 'memory' });
});
