import { execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@kubewright/kube';
import { parseYamlStream } from '@kubewright/kube/yaml';
import { OPERATORS } from '@kubewright/operators';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runLine } from '../packages/kubewright/src/cli/testing/run-line.ts';
import { METRICS } from '../packages/kubewright/src/run/dashboards/metrics.data.ts';
import { startPrometheus, whyNoPrometheus } from './servers/prometheus.ts';
import { freePort } from './support/free-port.ts';
import { isLong } from './support/seeds.ts';
import { useFolder } from './support/use-folder.ts';

type Panel = {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets: readonly [{ readonly expr: string; readonly legendFormat: string }];
};
type Dashboard = { readonly uid: string; readonly panels: readonly Panel[] };
type Group = { readonly rules: readonly { readonly alert: string; readonly expr: string }[] };

/** Of the Debian package prometheus. */
const PROMTOOL = '/usr/bin/promtool';
const CLI = fileURLToPath(new URL('../packages/kubewright/bin/kubewright.mjs', import.meta.url));

const { out } = await runLine('install --prometheus --dashboards');
const objects = parseYamlStream(out) as readonly KubeObject[];
const dashboards = objects
  .filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1')
  .flatMap(({ data }) => Object.values(data as Readonly<Record<string, string>>))
  .map((text) => JSON.parse(text) as Dashboard);
const panels = dashboards.flatMap(({ uid, panels: all }) => all.map((panel) => ({ uid, ...panel })));
/** In the place of what Grafana fills in. */
const queryOf = ({ targets: [{ expr }] }: Panel): string => expr.replaceAll('$__rate_interval', '5m');

test('every operator has a dashboard, with a panel for each of its metrics', () => {
  expect(dashboards.map(({ uid }) => uid)).toEqual(OPERATORS.map(({ name }) => `kubewright-${name}`));
  for (const { name } of OPERATORS) {
    const queries = panels.filter(({ uid }) => uid === `kubewright-${name}`).map(queryOf);
    for (const metric of METRICS[name]?.own ?? []) {
      const reads = new RegExp(`\\(${metric.name}(?:_bucket)?[[)]`);
      expect(queries.filter((query) => reads.test(query)).length, metric.name).toBe(1);
    }
  }
});

test.each(dashboards)('panels of $uid have places and ids of their own', ({ panels: all }) => {
  const places = all.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(all.length);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});

const why = whyNoPrometheus() ?? (existsSync(PROMTOOL) ? undefined : 'needs promtool');
const suffix = why === undefined ? '' : ` [${why}]`;

describe.skipIf(why !== undefined)(`what Prometheus reads${suffix}`, () => {
  const folder = useFolder();

  test('promtool takes every query of the dashboards, and every alert', () => {
    const rules = panels.map((panel) => ({
      record: 'panel',
      expr: queryOf(panel),
      labels: { uid: `${panel.uid}-${panel.id}` },
    }));
    const rule = objects.find(({ kind }) => kind === 'PrometheusRule');
    const { groups } = (rule?.['spec'] ?? { groups: [] }) as unknown as { readonly groups: readonly Group[] };
    const alerts = groups.flatMap((group) => group.rules);
    expect(alerts.length).toBeGreaterThan(20);
    const file = join(folder, 'rules.yml');
    writeFileSync(file, JSON.stringify({ groups: [...groups, { name: 'panels', rules }] }));
    const said = execFileSync(PROMTOOL, ['check', 'rules', file], { encoding: 'utf8' });
    expect(said).toContain(`SUCCESS: ${alerts.length + panels.length} rules found`);
  });

  const needsLong = isLong ? '' : ' [needs npm run test:long]';
  test.skipIf(!isLong)(
    `after the demos every panel has data, under the names of the objects that it is about${needsLong}`,
    async () => {
      const port = await freePort();
      const args = [CLI, 'up', '--port', '0', '--kubeconfig-out', join(folder, 'kubeconfig')];
      const up = spawn(process.execPath, [...args, '--health-port', String(port)]);
      onTestFinished(() => void up.kill('SIGKILL'));
      const prometheus = await startPrometheus(`127.0.0.1:${port}`, { job: asMonitored(port) });
      onTestFinished(async () => prometheus.stop());
      const { url } = prometheus;
      await new Promise<void>((resolve, reject) => {
        let text = '';
        up.stdout.on('data', (chunk: Buffer) => /^ready$/m.test((text += chunk.toString())) && resolve());
        up.once('close', () => reject(new RangeError(text)));
      });
      const empty = async (): Promise<readonly string[]> => {
        const results = await Promise.all(
          panels.map(async (panel) => [queryOf(panel), await query(url, queryOf(panel))] as const),
        );
        return results.filter(([, series]) => series === 0).map(([expr]) => expr);
      };
      await vi.waitFor(
        async () => expect(await empty()).toEqual(QUIET.map((name) => expect.stringContaining(name))),
        60_000,
      );
      // The namespace of the class, not that of the manager.
      expect(await query(url, 'crm_nfr_recommendation{namespace!="kubewright"}')).toBeGreaterThan(0);
      for (const name of QUIET) expect(await typeOf(url, name)).toMatch(/^(?:counter|gauge)$/);
    },
  );
});

/** What the demos have none of: a schedule that is late, and classes with whose objects something is wrong. */
const QUIET = [
  'capture_schedule_overdue_seconds',
  'crm_orphans_deleted_total',
  'crm_child_missing_total',
  'crm_nfr_enforcement_fail_total',
];

/** As the Prometheus Operator scrapes what the PodMonitor selects: with labels of the pod. */
function asMonitored(port: number): Readonly<Record<string, unknown>> {
  const { spec } = objects.find(({ kind }) => kind === 'PodMonitor') as unknown as Monitor;
  const labels = { namespace: 'kubewright', pod: 'kubewright-0' };
  return {
    honor_labels: spec.podMetricsEndpoints[0].honorLabels ?? false,
    static_configs: [{ targets: [`127.0.0.1:${port}`], labels }],
  };
}
type Monitor = {
  readonly spec: { readonly podMetricsEndpoints: readonly [{ readonly honorLabels?: boolean }] };
};

async function get<T>(url: string, path: string): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`);
  const { status, error, data } = (await response.json()) as { status: string; error?: string; data: T };
  expect(status, error).toBe('success');
  return data;
}

/** How many series a query has. */
async function query(url: string, expr: string): Promise<number> {
  const path = `query?query=${encodeURIComponent(expr)}`;
  return (await get<{ readonly result: readonly unknown[] }>(url, path)).result.length;
}

async function typeOf(url: string, metric: string): Promise<string | undefined> {
  const path = `metadata?metric=${metric}`;
  const found = await get<Readonly<Record<string, readonly { readonly type: string }[]>>>(url, path);
  return found[metric]?.[0]?.type;
}
