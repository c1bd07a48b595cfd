import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrationParts } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { whyNoPrometheus } from '../../servers/prometheus.ts';
import { useFolder } from '../../support/use-folder.ts';

/** Of the Debian package prometheus. */
const PROMTOOL = '/usr/bin/promtool';
const why = whyNoPrometheus() ?? (existsSync(PROMTOOL) ? undefined : 'needs promtool');

const { alerts = [] } = migrationParts;

/** By alert: series, a value each minute, with which it fires after 90 minutes, and with which it does not. */
const SERIES: Readonly<Record<string, readonly [fires: Series, quiet: Series]>> = {
  MigrationStalled: [{ migration_stalled: '1x120' }, { migration_stalled: '0x120' }],
  MigrationUndone: [{ migration_failed_total: '0x80 1x40' }, { migration_failed_total: '1x120' }],
  MigrationStateLost: [{ migration_state_lost_total: '0x80 1x40' }, { migration_state_lost_total: '1x120' }],
  MigrationBrokerUnavailable: [
    { migration_broker_unavailable: '0x80 1x40' },
    { migration_broker_unavailable: '0x88 1x40' },
  ],
  MigrationHoldLeftOver: [
    { migration_open_holds: '0x50 1x70', migration_oldest_seconds: '0+60x120' },
    { migration_open_holds: '0x70 1x50', migration_oldest_seconds: '0+60x120' },
  ],
};
type Series = Readonly<Record<string, string>>;

describe.skipIf(why !== undefined)(`alerts of migrations${why === undefined ? '' : ` [${why}]`}`, () => {
  const folder = useFolder();

  /** Whether Prometheus' own tool says that it fires, by its rule and these series. */
  async function fires(name: string, series: Series): Promise<string> {
    const rules = alerts.map(({ name: alert, expr, for: lasting, severity, summary }) => ({
      alert,
      expr,
      ...(lasting !== undefined && { for: lasting }),
      labels: { severity },
      annotations: { summary },
    }));
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'migration', rules }] }));
    const input_series = Object.entries(series).map(([one, values]) => ({ series: one, values }));
    const alert_rule_test = [{ eval_time: '90m', alertname: name, exp_alerts: [] }];
    const tests = [{ interval: '1m', input_series, alert_rule_test }];
    const file = join(folder, 'test.yml');
    writeFileSync(file, JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests }));
    const told = await promisify(execFile)(PROMTOOL, ['test', 'rules', file]).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => error,
    );
    return `${told.stdout}${told.stderr}`;
  }

  test.for(alerts)('MIG-82 $name fires when it should, and else does not', async ({ name }) => {
    const [due, quiet] = SERIES[name] ?? [{}, {}];
    expect(await fires(name, due)).toMatch(new RegExp(`got:\\[[^]*alertname=\\\\?"${name}`));
    expect(await fires(name, quiet)).toMatch(/SUCCESS/);
  });
});
