import { afterAll, beforeAll, describe } from 'vitest';
import { measuredLoadContract } from '../../packages/operators/src/classes/measured-load.contract.ts';
import { createCallPacedClock } from '../../packages/runtime/src/testing/call-paced-clock.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { type PodMetrics, servePodMetrics } from '../servers/pod-metrics.ts';
import { type Prometheus, startPrometheus, whyNoPrometheus } from '../servers/prometheus.ts';

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
] as const;

const why = whyNoPrometheus();

describe.skipIf(why !== undefined)(why === undefined ? 'Prometheus' : `Prometheus [${why}]`, () => {
  describeClusters('operator classes', { controllers, nodes: 1 }, (transport) => {
    let metrics: PodMetrics;
    let prometheus: Prometheus;
    beforeAll(async () => {
      metrics = await servePodMetrics(transport());
      prometheus = await startPrometheus(metrics.target);
    });
    afterAll(async () => {
      await prometheus.stop();
      await metrics.stop();
    });
    measuredLoadContract(transport, () => prometheus.url, createCallPacedClock({ isReal: true }));
  });
});
