import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findVictoriaMetrics } from '../../tools/assets/find-metrics.mjs';
import { startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';

/** A source of metrics that runs, and takes samples of any time. */
export type Source = {
  readonly name: string;
  readonly url: string;
  readonly writeUrl: string;
  /** Resolves when what was written can be queried. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type Program = {
  readonly name: string;
  readonly path: string | undefined;
  /** How to have it. */
  readonly missing: string;
  readonly args: (port: number, folder: string) => readonly string[];
  readonly ready: string;
  readonly write: string;
  readonly flush?: string;
};

const DEBIAN = '/usr/bin/prometheus';
const READY_MS = 60_000;
/** What is written is of months ago. */
const KEPT = '10y';

const PROGRAMS: readonly Program[] = [
  {
    name: 'Prometheus',
    path: existsSync(DEBIAN) ? DEBIAN : undefined,
    missing: 'the Debian package prometheus',
    args: (port, folder) => {
      const config = join(folder, 'prometheus.yml');
      writeFileSync(config, 'scrape_configs: []\n');
      return [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--storage.tsdb.retention.time=${KEPT}`,
        '--web.enable-remote-write-receiver',
        `--web.listen-address=127.0.0.1:${port}`,
      ];
    },
    ready: '/-/ready',
    write: '/api/v1/write',
  },
  {
    name: 'VictoriaMetrics',
    path: findVictoriaMetrics(),
    missing: 'npm run assets:metrics',
    args: (port, folder) => [
      `-storageDataPath=${join(folder, 'data')}`,
      `-retentionPeriod=${KEPT}`,
      `-httpListenAddr=127.0.0.1:${port}`,
    ],
    ready: '/health',
    write: '/api/v1/write',
    flush: '/internal/force_flush',
  },
];

/** Those that are not there, each with how to have it. */
export function missingSources(): readonly string[] {
  return PROGRAMS.filter(({ path }) => path === undefined).map(
    ({ name, missing }) => `${name} needs ${missing}`,
  );
}

/** Starts each that is there, with its data in a temporary folder. */
export async function startSources(): Promise<readonly Source[]> {
  return await Promise.all(
    PROGRAMS.flatMap((each) => (each.path === undefined ? [] : [start(each, each.path)])),
  );
}

async function start(program: Program, path: string): Promise<Source> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-metrics-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startChild(path, program.args(port, folder), join(folder, 'log'), folder, {
    PATH: process.env['PATH'],
  });
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const end = performance.now() + READY_MS;
  while (!(await isOk(`${url}${program.ready}`))) {
    if (!child.running || performance.now() > end) {
      const why = child.tail();
      await stop();
      throw new TypeError(`${program.name} did not start:\n${why}`);
    }
    await delay(100);
  }
  const flush = async (): Promise<void> => {
    if (program.flush !== undefined) await isOk(`${url}${program.flush}`);
  };
  return { name: program.name, url, writeUrl: `${url}${program.write}`, flush, stop };
}

async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
