import { createApiServer } from '@kubewright/apiserver';
import { OPERATORS } from '@kubewright/operators';
import { createManager, type Manager, Registry, silentLogger } from '@kubewright/runtime';
import type {
  DeclaredMetric,
  DeclaredMetrics,
} from '../../packages/kubewright/src/run/dashboards/declared-metrics.ts';
import { code } from './markdown.ts';

type Metric = { readonly name: string; readonly help: string; readonly labelNames?: readonly string[] };
type Row = readonly string[];
type Registered = {
  readonly metrics: readonly DeclaredMetric[];
  readonly valuesOf: (name: string, label: string) => Promise<readonly string[]>;
};

/** What a manager with these parts serves at `/metrics`. It is never started, so nothing is called. */
function registered(add: (manager: Manager) => void): Registered {
  const registry = new Registry();
  const manager = createManager({
    name: 'reference',
    transport: createApiServer().transport(),
    election: { namespace: 'default' },
    webhooks: { port: 0, certificates: { current: () => undefined, onChange: () => () => undefined } },
    log: silentLogger,
    registry,
  });
  manager.webhookServer();
  add(manager);
  return {
    metrics: registry.getMetricsAsArray().map(declared),
    valuesOf: async (name, label) => {
      const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {};
      return [...new Set(values.map(({ labels }) => String(labels[label])))];
    },
  };
}

function declared(metric: Metric): DeclaredMetric {
  const { name, help, labelNames = [] } = metric;
  const type = metric.constructor.name.toLowerCase() as DeclaredMetric['type'];
  return { name, type, help, labels: [...labelNames] };
}

function rowOf({ name, type, help, labels }: DeclaredMetric): Row {
  return [code(name), type, labels.map(code).join(', '), help];
}

type Found = {
  readonly common: readonly DeclaredMetric[];
  readonly of: ReadonlyMap<string, DeclaredMetrics>;
};

/** The metrics of every manager, and what each operator adds. */
async function findMetrics(): Promise<Found> {
  const common = new Map(
    registered((manager) => {
      manager.addController({ name: 'any', sources: [], reconciler: { reconcile: async () => ({}) } });
    }).metrics.map((metric) => [metric.name, metric]),
  );
  const ofOperators = new Map<string, DeclaredMetrics>();
  const shared = new Map(common);
  for (const operator of OPERATORS) {
    const { parts } = await operator.load();
    const { metrics, valuesOf } = registered((manager) => {
      for (const part of parts) part.add(manager, {});
    });
    const added = metrics.filter(({ name }) => !common.has(name));
    for (const metric of added) if (isShared(metric)) shared.set(metric.name, metric);
    const webhooks = await valuesOf('controller_runtime_webhook_requests_in_flight', 'webhook');
    ofOperators.set(operator.name, {
      controllers: await valuesOf('controller_runtime_reconcile_total', 'controller'),
      webhooks: [...new Set(webhooks.map(patternOf))],
      own: added.filter((metric) => !isShared(metric)),
    });
  }
  return { common: [...shared.values()], of: ofOperators };
}

const isShared = ({ name }: DeclaredMetric): boolean => name.startsWith('kubewright_');

/** Below a folder, an operator may add paths while it runs. */
const patternOf = (path: string): string => path.replace(/^(\/[^/]+)\/.*/, '$1/.+');

/** The rows of the reference. */
export async function metricRows(): Promise<{
  readonly all: readonly Row[];
  readonly of: (name: string) => readonly Row[];
}> {
  const found = await findMetrics();
  return {
    all: found.common.map(rowOf),
    of: (name) => (found.of.get(name)?.own ?? []).map(rowOf),
  };
}

/** What the dashboards are made of: `packages/kubewright/src/run/dashboards/metrics.data.ts`. */
export async function metricsOfOperators(): Promise<Readonly<Record<string, DeclaredMetrics>>> {
  return Object.fromEntries((await findMetrics()).of);
}
