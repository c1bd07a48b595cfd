import type { JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { call } from '../../support/api.ts';
import { describeServers } from '../../servers/describe-servers.ts';

const V1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const V2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const PREFIX = 'autoscaling.alpha.kubernetes.io';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'web' };
const RULES = { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] };
const selector = { matchLabels: { queue: 'a' } };

const METRICS = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '64Mi' } } },
  {
    type: 'ContainerResource',
    containerResource: {
      name: 'cpu',
      container: 'web',
      target: { type: 'Utilization', averageUtilization: 40 },
    },
  },
  {
    type: 'Pods',
    pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '12' } },
  },
  {
    type: 'Object',
    object: { metric: { name: 'hits', selector }, describedObject, target: { type: 'Value', value: '5' } },
  },
  {
    type: 'External',
    external: { metric: { name: 'queue', selector }, target: { type: 'AverageValue', averageValue: '3' } },
  },
];

describeServers('the two versions of autoscalers', (server) => {
  const send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: JsonObject) =>
    call(server().transport(), method, path, body);
  const bodyOf = async (answer: ReturnType<typeof send>): Promise<JsonObject> => {
    const { status, body } = await answer;
    expect([200, 201]).toContain(status);
    return body;
  };
  const annotations = (body: JsonObject): Readonly<Record<string, string>> => {
    const { metadata } = body as { metadata: { annotations?: Readonly<Record<string, string>> } };
    return metadata.annotations ?? {};
  };

  test('what only the second has a place for goes through the first unharmed', async () => {
    const metadata = { name: 'rich', annotations: { mine: 'yes' } };
    const behavior = {
      scaleUp: RULES,
      scaleDown: { ...RULES, stabilizationWindowSeconds: 7, tolerance: '50m' },
    };
    const spec = { scaleTargetRef, maxReplicas: 5, metrics: METRICS, behavior };
    const made = await bodyOf(send('POST', V2, { metadata, spec }));
    expect(annotations(made)).toEqual({ mine: 'yes' });
    const old = await bodyOf(send('GET', `${V1}/rich`));
    expect(old).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 60 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
    expect(annotations(old)).toEqual({
      mine: 'yes',
      [`${PREFIX}/behavior`]:
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":7,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":"50m"}}',
      [`${PREFIX}/metrics`]:
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"64Mi"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":40,"container":"web"}},{"type":"Pods","pods":{"metricName":"requests","targetAverageValue":"12"}},{"type":"Object","object":{"target":{"kind":"Service","name":"web","apiVersion":"v1"},"metricName":"hits","targetValue":"5","selector":{"matchLabels":{"queue":"a"}}}},{"type":"External","external":{"metricName":"queue","metricSelector":{"matchLabels":{"queue":"a"}},"targetAverageValue":"3"}}]',
    });
    const written = await bodyOf(
      send('PUT', `${V1}/rich`, { ...old, spec: { ...(old['spec'] as JsonObject), maxReplicas: 6 } }),
    );
    expect(annotations(written)).toEqual(annotations(old));
    const back = await bodyOf(send('GET', `${V2}/rich`));
    expect(annotations(back)).toEqual({ mine: 'yes' });
    const [cpu, ...others] = METRICS;
    expect(back['spec']).toEqual({
      ...(made['spec'] as JsonObject),
      maxReplicas: 6,
      metrics: [...others, cpu],
    });
    expect(back['status']).toEqual(made['status']);
  });

  test('what is written in the first is there in the second', async () => {
    const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 35 };
    const made = await bodyOf(send('POST', V1, { metadata: { name: 'plain' }, spec }));
    expect(made['spec']).toEqual({ ...spec, minReplicas: 1 });
    expect(annotations(made)).toEqual({});
    const target = { type: 'Utilization', averageUtilization: 35 };
    const now = await bodyOf(send('GET', `${V2}/plain`));
    expect(now['spec']).toEqual({
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    });
    expect(now['status']).toEqual({ currentMetrics: null, desiredReplicas: 0 });
  });

  test('one that names no metric is of 80 percent', async () => {
    const made = await bodyOf(
      send('POST', V1, { metadata: { name: 'silent' }, spec: { scaleTargetRef, maxReplicas: 3 } }),
    );
    expect(made['spec']).toEqual({
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    });
  });

  test('what the controller has told is in both', async () => {
    const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 };
    await bodyOf(send('POST', V1, { metadata: { name: 'told' }, spec }));
    const lastTransitionTime = '2026-01-02T03:04:05Z';
    const condition = {
      type: 'AbleToScale',
      status: 'True',
      reason: 'Fine',
      message: 'ok',
      lastTransitionTime,
    };
    const current = { averageUtilization: 70, averageValue: '70m' };
    const status = {
      currentReplicas: 2,
      desiredReplicas: 3,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current } }],
      conditions: [condition],
    };
    const live = await bodyOf(send('GET', `${V2}/told`));
    await bodyOf(send('PUT', `${V2}/told/status`, { ...live, status }));
    const old = await bodyOf(send('GET', `${V1}/told`));
    expect(old['status']).toEqual({
      currentReplicas: 2,
      desiredReplicas: 3,
      currentCPUUtilizationPercentage: 70,
    });
    expect(annotations(old)).toEqual({
      [`${PREFIX}/conditions`]:
        '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"Fine","message":"ok"}]',
      [`${PREFIX}/current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":70,"currentAverageValue":"70m"}}]',
    });
    const { metadata, ...rest } = old;
    const plain = { ...(metadata as JsonObject), annotations: {} };
    await bodyOf(send('PUT', `${V1}/told`, { ...rest, metadata: plain, spec: { ...spec, maxReplicas: 4 } }));
    expect((await bodyOf(send('GET', `${V2}/told`)))['status']).toEqual(status);
  });

  test('a fault is told as it is in the version that it was written in', async () => {
    const spec = { scaleTargetRef, maxReplicas: 1, minReplicas: 2 };
    const { status, body } = await send('POST', V1, { metadata: { name: 'bad' }, spec });
    expect([status, body['message']]).toEqual([
      422,
      'HorizontalPodAutoscaler.autoscaling "bad" is invalid: spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`',
    ]);
  });
});
