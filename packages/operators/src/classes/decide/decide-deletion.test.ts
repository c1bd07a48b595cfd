import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { render } from '../templates/render.ts';
import {
  childrenOf,
  classOf,
  conditionsIn,
  decidedAt,
  SETTINGS,
  statusOf,
  timeAt,
  waitingPod,
} from '../testing/class-bench.ts';

const HELLO = classOf();
const READY = childrenOf(HELLO);
const PROGRESSING = { ...HELLO, status: statusOf(HELLO, 'progressing', 'Progressing', 0, { ready: 1 }) };
const AVAILABLE = { ...HELLO, status: decidedAt(30, PROGRESSING, READY).decision.status ?? {} };

describe('deletion', () => {
  const deleting = classOf({ deletedAt: timeAt(0), status: AVAILABLE.status });
  const going = READY.map((object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: timeAt(0) },
  })) as typeof READY;

  test('CRT-S65 CRT-S66 CRT-S67 CRT-D33 children, then pods, then the finalizer', () => {
    const first = decidedAt(0, deleting, READY);
    expect(first).toMatchObject({ phase: 'deleting', action: 'delete Deployment/hello' });
    expect(first.events).toEqual(['Normal Deleting']);
    expect(conditionsIn(first)).toMatchObject({
      Progressing: 'False/Deleting',
      Available: 'False/Deleting',
      Degraded: 'False/Deleting',
      Reconciling: 'True/Deleting',
      Stalled: 'False/Deleting',
    });
    const status = first.decision.status ?? {};
    expect(decidedAt(0, { ...deleting, status }, READY.slice(1)).action).toBe('delete Service/hello');
    expect(decidedAt(0, { ...deleting, status }, going)).toMatchObject({
      action: '-',
      requeue: 2,
      events: [],
    });
    const pod = waitingPod(HELLO, 'x');
    expect(decidedAt(20, { ...deleting, status }, [], [pod])).toMatchObject({ action: '-', requeue: 5 });
    const last = decidedAt(21, { ...deleting, status });
    expect(last).toMatchObject({ action: 'removeFinalizer', events: ['Normal Deleted'] });
    // There is nobody to say it to.
    expect(last.decision.status).toBeUndefined();
  });

  test('CRT-S68 CRT-D20 what is known is still deleted while a list fails, and the finalizer stays', () => {
    const unobserved = ['Service.serving.knative.dev'];
    const told = decidedAt(5, deleting, READY, [], { unobserved });
    expect(told).toMatchObject({ reason: 'ObservationFailed', action: 'delete Deployment/hello' });
    const status = told.decision.status ?? {};
    const waiting = decidedAt(37, { ...deleting, status }, [], [], { unobserved });
    expect(waiting).toMatchObject({ phase: 'deleting', action: '-', requeue: 8, events: [] });
    expect(waiting.message).toBe('waiting for Service.serving.knative.devs, which cannot be listed');
    expect(decidedAt(40, { ...deleting, status }).action).toBe('removeFinalizer');
  });

  test('CRT-T18 Services of Knative go, too, where the template of Knative is disabled', () => {
    const live = childrenOf(classOf({ template: 'knative' }));
    const disabled = { ...SETTINGS, knative: false };
    const rendered = render(deleting, disabled, { hasKnative: true });
    const told = decidedAt(5, deleting, live, [], { settings: disabled, rendered });
    expect(told).toMatchObject({ action: 'delete Service.serving.knative.dev/hello' });
  });

  test('deleted while its status is gone', () => {
    const told = decidedAt(0, classOf({ deletedAt: timeAt(0) }), READY);
    expect(told).toMatchObject({ phase: 'deleting', action: 'delete Deployment/hello' });
  });

  test('CRT-S69 deleted before it had our finalizer', () => {
    const bare = classOf({ deletedAt: timeAt(0), finalizers: ['other'] });
    const told = decidedAt(0, bare);
    expect(told).toMatchObject({ phase: 'deleting', action: '-', requeue: undefined });
    expect(told.message).toBe('waiting for finalizers of others: other');
    const again = decidedAt(9, { ...bare, status: told.decision.status ?? {} });
    expect(again.decision.status).toEqual(told.decision.status);
    expect(again.events).toEqual([]);
  });

  test('a deletion that takes five minutes is reported once, with what is left', () => {
    const pod = waitingPod(HELLO, 'x');
    const status = { ...AVAILABLE.status, ...statusOf(HELLO, 'deleting', 'Deleting', 0) };
    expect(decidedAt(299, { ...deleting, status }, [], [pod])).toMatchObject({ events: [], requeue: 1 });
    const stuck = decidedAt(300, { ...deleting, status }, [], [pod]);
    expect(stuck).toMatchObject({ phase: 'deleting', events: ['Warning DeletionStuck'] });
    expect(stuck.message).toBe('waiting for Pod/hello-1');
    const later = decidedAt(400, { ...deleting, status: stuck.decision.status ?? {} }, [], [pod]);
    expect(later).toMatchObject({ reason: 'DeletionStuck', events: [], requeue: 30 });
  });

  test('a deletion that is forced deletes what is left, and waits for nothing', () => {
    const forced = {
      ...deleting,
      metadata: { ...deleting.metadata, annotations: { [ANNOTATIONS.forceDelete]: 'true' } },
    };
    expect(decidedAt(5, forced, READY).action).toBe('delete Deployment/hello');
    expect(decidedAt(5, deleting, going).action).toBe('-');
    const done = decidedAt(5, forced, going, [waitingPod(HELLO, 'x')]);
    expect(done).toMatchObject({ action: 'removeFinalizer', events: ['Normal Deleted'] });
  });

  test('the data grid goes last', () => {
    const odgm = classOf({ odgm: true, deletedAt: timeAt(0) });
    const [deployment, service, ...grid] = childrenOf(odgm);
    const terminating = (object: typeof deployment) =>
      object === undefined
        ? []
        : [{ ...object, metadata: { ...object.metadata, deletionTimestamp: timeAt(0) } }];
    const going = [...terminating(deployment), ...terminating(service)];
    expect(decidedAt(5, odgm, [...going, ...grid] as typeof grid)).toMatchObject({ action: '-' });
    expect(decidedAt(5, odgm, grid)).toMatchObject({ action: 'delete Deployment/hello-odgm' });
  });
});
