import { createApiServer } from '@kubewright/apiserver';
import { OPERATORS } from '@kubewright/operators';
import { createManager, type Manager, Registry, silentLogger } from '@kubewright/runtime';
import { code } from './markdown.ts';

type Metric = { readonly name: string; readonly help: string; readonly labelNames?: readonly string[] };
type Row = readonly string[];

/** What a manager with these parts serves at `/metrics`. It is never started, so nothing is called. */
function registered(add: (manager: Manager) => void): ReadonlyMap<string, Row> {
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
  return new Map(registry.getMetricsAsArray().map((metric) => [metric.name, rowOf(metric)]));
}

function rowOf(metric: Metric): Row {
  const { name, help, labelNames = [] } = metric;
  return [code(name), metric.constructor.name.toLowerCase(), labelNames.map(code).join(', '), help];
}

/** The metrics of every manager, and those that each operator adds. */
export async function metricRows(): Promise<{
  readonly all: readonly Row[];
  readonly of: (name: string) => readonly Row[];
}> {
  const common = registered((manager) => {
    manager.addController({ name: 'any', sources: [], reconciler: { reconcile: async () => ({}) } });
  });
  const added = new Map<string, readonly Row[]>();
  const shared = new Map(common);
  for (const operator of OPERATORS) {
    const { parts } = await operator.load();
    const found = registered((manager) => {
      for (const part of parts) part.add(manager, {});
    });
    const own = [...found].filter(([name]) => !common.has(name));
    for (const [name, row] of own) if (name.startsWith('kubewright_')) shared.set(name, row);
    added.set(
      operator.name,
      own.filter(([name]) => !name.startsWith('kubewright_')).map(([, row]) => row),
    );
  }
  return { all: [...shared.values()], of: (name) => added.get(name) ?? [] };
}
