import { sleep } from '@kubewright/client';
import type { Json, KubeObject } from '@kubewright/kube';
import type { Manager } from '@kubewright/runtime';
import { Counter } from 'prom-client';
import { reportSettingsOf } from './report-settings-of.ts';
import { createEpisodes } from './create-episodes.ts';
import { createOutbox } from './create-outbox.ts';
import type { ReportedChange } from './drift-report.ts';
import { forgetful, storeIn } from './report-store.ts';

/** Takes what may be reported to backends. */
export type Reports = {
  decided(change: ReportedChange): void;
  parentSeen(parent: KubeObject): void;
};

const EXPIRE_MS = 30_000;

/** Adds an outbox for each backend of a config, see {@link reportSettingsOf}; undefined where it has none. */
export function addReports(manager: Manager, config: Json): Reports | undefined {
  const { clock, log } = manager;
  const { backends, outbox: folder } = reportSettingsOf(config);
  if (backends.length === 0) return undefined;
  const store = folder === undefined ? forgetful : storeIn(folder, log);
  const counter = new Counter({
    name: 'kubewright_drift_reports_total',
    help: 'Rounds of attempts to post drift reports, and reports dropped, by backend and result',
    labelNames: ['backend', 'result'],
    registers: [manager.registry],
  });
  const outboxes = backends.map((backend) =>
    createOutbox(backend, {
      clock,
      log,
      store,
      count: (result) => counter.inc({ backend: backend.url.host, result }),
    }),
  );
  for (const outbox of outboxes) manager.add(outbox);
  const episodes = createEpisodes({
    now: () => clock.now(),
    emit: (report) => outboxes.forEach((outbox) => outbox.add(report)),
    save: (list) => store.saveEpisodes(list),
    stored: store.episodes(),
  });
  manager.add({
    needLeaderElection: false,
    async start(signal) {
      while (!signal.aborted) {
        episodes.expire();
        await sleep(clock, EXPIRE_MS, signal);
      }
    },
  });
  return episodes;
}
