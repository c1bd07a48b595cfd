import { servePrometheus, type ServedPrometheus } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { afterAll, beforeAll } from 'vitest';
import { autoscalersContract } from '../../packages/operators/src/classes/autoscalers.contract.ts';
import { classesContract, CRASHING } from '../../packages/operators/src/classes/classes.contract.ts';
import { commandsContract } from '../../packages/operators/src/classes/commands.contract.ts';
import { deploymentsContract } from '../../packages/operators/src/classes/deployments/deployments.contract.ts';
import {
  enforcementContract,
  type PrometheusUnderTest,
} from '../../packages/operators/src/classes/enforcement-mode.contract.ts';
import { knativeContract } from '../../packages/operators/src/classes/knative.contract.ts';
import { otherOwnersContract } from '../../packages/operators/src/classes/other-owners.contract.ts';
import { resourcesContract } from '../../packages/operators/src/classes/resources.contract.ts';
import { sourcesContract } from '../../packages/operators/src/classes/sources.contract.ts';
import { scrapedPods, type Scrapes } from '../../packages/operators/src/classes/testing/scraped-pods.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'garbage-collector-controller',
] as const;

describeClusters(
  'operator classes',
  { controllers, nodes: { nodes: 1, behaviours: CRASHING } },
  (transport) => {
    classesContract(transport);
    otherOwnersContract(transport);
    const prometheus = usePrometheus(transport);
    autoscalersContract(transport, prometheus.url);
    knativeContract(transport, prometheus.url);
    resourcesContract(transport, prometheus.url);
    commandsContract(transport, prometheus.url);
    const scrapes: Scrapes = { jobs: 2 };
    sourcesContract(transport, usePrometheus(() => scrapedPods(transport(), scrapes)).url, scrapes);
    enforcementContract(transport, prometheus);
    deploymentsContract(transport);
  },
);

/** A real HTTP server, for the tests of the current suite. */
function usePrometheus(transport: () => Transport): PrometheusUnderTest {
  let served: ServedPrometheus | undefined;
  const stop = async (): Promise<void> => {
    await served?.close();
    served = undefined;
  };
  beforeAll(async () => {
    served = await servePrometheus(transport());
  });
  afterAll(stop);
  return { url: () => served?.url ?? '', stop };
}
