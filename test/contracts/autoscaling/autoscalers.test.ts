import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { appsv1, type autoscalingv2, type KubeObject, type Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { AutoscalerStory } from './autoscaler-story.ts';

const CONTROLLERS = [
  'deployment-controller',
  'horizontal-pod-autoscaler-controller',
  'replicaset-controller',
] as const;
const PATIENCE = { timeout: 30_000, interval: 100 };
const FAST_DOWN = { scaleDown: { stabilizationWindowSeconds: 0 } };
const CAN = 'AbleToScale True ReadyForNewScale';
const ACTIVE = 'ScalingActive True ValidMetricFound';
const FREE = 'ScalingLimited False DesiredWithinRange';
const FULL = 'ScalingLimited True TooManyReplicas';
const SCALED = 'horizontal-pod-autoscaler: Normal SuccessfulRescale: New size:';
const CPU = 'cpu resource utilization (percentage of request) above target';

type Metric = autoscalingv2.MetricSpec;
const cpu = (averageUtilization: number): Metric => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const cpuUsed = (averageUtilization: number, averageValue: string): object => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization, averageValue } },
});

/** What kubectl says. */
function kubectl(kubeconfig: string, namespace: string, ...words: readonly string[]): Promise<string> {
  const args = ['--kubeconfig', kubeconfig, '--namespace', namespace, ...words];
  return promisify(execFile)(findKubectl() ?? 'kubectl', args).then(({ stdout }) => stdout);
}

function autoscalers(transport: () => Transport, kubeconfigPath: () => string): void {
  let story: AutoscalerStory;
  const begin = async (measured: Readonly<Record<string, string>> = {}): Promise<void> => {
    story = await AutoscalerStory.begin(transport(), measured);
  };
  const becomes = (
    replicas: readonly number[],
    metrics: readonly object[] | null,
    conditions: readonly string[],
  ) => expect.poll(() => story.shown(), PATIENCE).toEqual({ replicas, metrics, conditions });

  test('pods that use twice what they should are doubled, up to the most that there may be', async () => {
    await begin();
    await story.deploy(2, { cpu: '100m' });
    await story.scale({ metrics: [cpu(50)] });
    await becomes([5, 5], [cpuUsed(100, '100m')], [CAN, ACTIVE, FULL]);
    await expect
      .poll(() => story.events())
      .toEqual([`${SCALED} 4; reason: ${CPU}`, `${SCALED} 5; reason: ${CPU}`]);
    expect(await story.messages()).toEqual([
      'AbleToScale: recommended size matches current size',
      'ScalingActive: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)',
      'ScalingLimited: the desired replica count is more than the maximum replica count',
    ]);
    await story.ready(5);
  });

  test('a small difference changes nothing', async () => {
    await begin();
    await story.deploy(2, { cpu: '54m' });
    await story.scale({ metrics: [cpu(50)] });
    await becomes([2, 2], [cpuUsed(54, '54m')], [CAN, ACTIVE, FREE]);
    expect(await story.events()).toEqual([]);
  });

  test('fewer are enough only when they have been for a while', async () => {
    await begin();
    await story.deploy(3, { cpu: '1m' });
    await story.scale({ metrics: [cpu(50)] });
    await becomes([3, 3], [cpuUsed(1, '1m')], ['AbleToScale True ScaleDownStabilized', ACTIVE, FREE]);
  });

  test('behavior says how long that is, and how fast it goes', async () => {
    await begin();
    await story.deploy(3, { cpu: '1m' });
    await story.scale({ minReplicas: 2, metrics: [cpu(50)], behavior: FAST_DOWN });
    await becomes([2, 2], [cpuUsed(1, '1m')], [CAN, ACTIVE, 'ScalingLimited True TooFewReplicas']);
    await expect.poll(() => story.events()).toEqual([`${SCALED} 2; reason: All metrics below target`]);
    await begin();
    await story.deploy(1, { cpu: '100m' });
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 600 }];
    await story.scale({ metrics: [cpu(50)], behavior: { scaleUp: { policies } } });
    await becomes([2, 2], [cpuUsed(100, '100m')], [CAN, ACTIVE, 'ScalingLimited True ScaleUpLimit']);
    expect(await story.messages()).toContain(
      'ScalingLimited: the desired replica count is increasing faster than the maximum scale rate',
    );
  });

  test('the target is brought between the least and the most', async () => {
    await begin();
    await story.deploy(4, { cpu: '50m' });
    await story.scale({ maxReplicas: 2, metrics: [cpu(50)] });
    // Four were enough a while ago.
    const conditions = ['AbleToScale True ScaleDownStabilized', ACTIVE, FULL];
    await becomes([2, 2], [cpuUsed(50, '50m')], conditions);
    await expect
      .poll(() => story.events())
      .toEqual([`${SCALED} 2; reason: Current number of replicas above Spec.MaxReplicas`]);
    await begin();
    await story.deploy(1, { cpu: '50m' });
    await story.scale({ minReplicas: 3, metrics: [cpu(50)] });
    await becomes([3, 3], [cpuUsed(50, '50m')], [CAN, ACTIVE, FREE]);
    await expect
      .poll(() => story.events())
      .toEqual([`${SCALED} 3; reason: Current number of replicas below Spec.MinReplicas`]);
  });

  test('what was scaled to nothing by hand is left alone', async () => {
    await begin();
    await story.deploy(0);
    await story.scale({ metrics: [cpu(50)] });
    await becomes([0, 0], null, [
      'AbleToScale True SucceededGetScale',
      'ScalingActive False ScalingDisabled',
    ]);
    expect(await story.messages()).toContain(
      'ScalingActive: scaling is disabled since the replica count of the target is zero',
    );
  });

  test('memory, a container, and metrics of pods, objects and the world outside', async () => {
    await begin({ 'external.queue': '9' });
    await story.deploy(1, { memory: '96Mi', cpu: '60m', 'custom.requests': '12' });
    const average = (averageValue: string): autoscalingv2.MetricTarget => ({
      type: 'AverageValue',
      averageValue,
    });
    const describedObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const body = { metadata: { annotations: { 'metrics.kubewright.dev/custom.backlog': '5' } } };
    await story.client.patch(appsv1.deployments, story.key('web'), { type: 'merge', body });
    const containerTarget = { type: 'Utilization', averageUtilization: 60 };
    await story.scale({
      metrics: [
        { type: 'Resource', resource: { name: 'memory', target: average('96Mi') } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: 'web', target: containerTarget },
        },
        { type: 'Pods', pods: { metric: { name: 'requests' }, target: average('12') } },
        {
          type: 'Object',
          object: { metric: { name: 'backlog' }, describedObject, target: { type: 'Value', value: '5' } },
        },
        { type: 'External', external: { metric: { name: 'queue' }, target: average('3') } },
      ],
    });
    await becomes(
      [3, 3],
      [
        { type: 'Resource', resource: { name: 'memory', current: { averageValue: '96Mi' } } },
        {
          type: 'ContainerResource',
          containerResource: {
            name: 'cpu',
            container: 'web',
            current: { averageUtilization: 60, averageValue: '60m' },
          },
        },
        { type: 'Pods', pods: { metric: { name: 'requests' }, current: { averageValue: '12' } } },
        { type: 'Object', object: { metric: { name: 'backlog' }, describedObject, current: { value: '5' } } },
        { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '3' } } },
      ],
      [CAN, ACTIVE, FREE],
    );
    await expect
      .poll(() => story.events())
      .toEqual([`${SCALED} 3; reason: external metric queue(nil) above target`]);
  });

  test('a metric that cannot be had is told, and nothing is taken away for it', async () => {
    await begin();
    await story.deploy(2, { cpu: '10m' });
    const target: autoscalingv2.MetricTarget = { type: 'AverageValue', averageValue: '1' };
    const missing: Metric = { type: 'Pods', pods: { metric: { name: 'none' }, target } };
    await story.scale({ metrics: [missing, cpu(50)], behavior: FAST_DOWN });
    const why = 'unable to get metric none: no metrics returned from custom metrics API';
    await becomes(
      [2, 0],
      [{ type: '' }, cpuUsed(10, '10m')],
      ['AbleToScale True SucceededGetScale', 'ScalingActive False FailedGetPodsMetric'],
    );
    expect(await story.messages()).toContain(
      `ScalingActive: the HPA was unable to compute the replica count: ${why}`,
    );
    await expect
      .poll(() => story.events(), PATIENCE)
      .toEqual([
        `horizontal-pod-autoscaler: Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: ${why}`,
        `horizontal-pod-autoscaler: Warning FailedGetPodsMetric: ${why}`,
      ]);
  });

  test('utilization needs requests', async () => {
    await begin();
    await story.deploy(1, { cpu: '10m' });
    const storage: Metric = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } },
    };
    const gone = [{ op: 'remove', path: '/spec/template/spec/containers/0/resources/requests/memory' }];
    await story.client.patch(appsv1.deployments, story.key('web'), { type: 'json', body: gone });
    await story.scale({ metrics: [storage] });
    await becomes(
      [1, 0],
      [{ type: '' }],
      ['AbleToScale True SucceededGetScale', 'ScalingActive False FailedGetResourceMetric'],
    );
    const told = (await story.messages()).map((text) =>
      text.replaceAll(/web-[a-z0-9]+-[a-z0-9]+/g, 'web-POD'),
    );
    expect(told).toContain(
      'ScalingActive: the HPA was unable to compute the replica count: failed to get memory utilization: missing request for memory in container web of Pod web-POD',
    );
  });

  test.each([
    ['Deployment', 'apps/v1', 'deployments.apps "nothing" not found'],
    ['Gadget', 'example.com/v1', 'no matches for kind "Gadget" in group "example.com"'],
  ])('a target that is not there: %s', async (kind, apiVersion, why) => {
    await begin();
    await story.scale({ scaleTargetRef: { kind, apiVersion, name: 'nothing' } });
    await becomes([0, 0], null, ['AbleToScale False FailedGetScale']);
    expect(await story.messages()).toEqual([
      `AbleToScale: the HPA controller was unable to get the target's current scale: ${why}`,
    ]);
    await expect
      .poll(() => story.events(), PATIENCE)
      .toEqual([`horizontal-pod-autoscaler: Warning FailedGetScale: ${why}`]);
  });

  const program = findKubectl();
  const needs = program === undefined ? ' [needs kubectl: npm run assets]' : '';
  test.skipIf(program === undefined)(`kubectl autoscale${needs}`, async () => {
    await begin();
    await story.deploy(1, { cpu: '70m' });
    const say = (...words: readonly string[]) => kubectl(kubeconfigPath(), story.namespace, ...words);
    const made = await say('autoscale', 'deployment', 'web', '--min=1', '--max=2', '--cpu-percent=35');
    expect(made.trim()).toBe('horizontalpodautoscaler.autoscaling/web autoscaled');
    await becomes([2, 2], [cpuUsed(70, '70m')], [CAN, ACTIVE, FULL]);
    await expect
      .poll(
        async () => (await say('get', 'hpa', 'web', '--no-headers')).split(/\s+/).slice(0, 7).join(' '),
        PATIENCE,
      )
      .toBe('web Deployment/web cpu: 70%/35% 1 2 2');
    const top = await say('top', 'pods', '--no-headers');
    expect(
      top
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/).slice(1, 3)),
    ).toEqual([
      ['70m', '0Mi'],
      ['70m', '0Mi'],
    ]);
    const v1 = JSON.parse(
      await say('get', 'horizontalpodautoscalers.v1.autoscaling', 'web', '-o', 'json'),
    ) as KubeObject;
    expect(v1).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { maxReplicas: 2, minReplicas: 1, targetCPUUtilizationPercentage: 35 },
      status: { currentReplicas: 2, desiredReplicas: 2, currentCPUUtilizationPercentage: 70 },
    });
  });

  test('two autoscalers of the same pods do nothing', async () => {
    await begin();
    await story.deploy(2, { cpu: '100m' });
    await story.scale({ metrics: [cpu(100)] });
    await becomes([2, 2], [cpuUsed(100, '100m')], [CAN, ACTIVE, FREE]);
    await story.scale({ metrics: [cpu(10)] }, 'other');
    await expect
      .poll(() => story.shown('other'), PATIENCE)
      .toEqual({
        replicas: [2, 0],
        metrics: null,
        conditions: ['AbleToScale True SucceededGetScale', 'ScalingActive False AmbiguousSelector'],
      });
  });
}

describeClusters(
  'Autoscalers',
  { controllers: CONTROLLERS, nodes: 1, metrics: true, kubectl: true },
  (transport, _nodes, kubeconfigPath) => autoscalers(transport, kubeconfigPath),
);
