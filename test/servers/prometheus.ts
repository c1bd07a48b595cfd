import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { realSide } from './real-side.ts';

/** Of the Debian package. */
const SERVER = '/usr/bin/prometheus';
const READY_WITHIN_MS = 240_000;

export type Prometheus = { readonly url: string; stop(): Promise<void> };

/** Why it is not tried: undefined where it is. `.ci/run` installs it, and does without nothing. */
export function whyNoPrometheus(): string | undefined {
  const { KUBEWRIGHT_REAL: real, CI: ci } = process.env;
  if (real === 'off') return 'needs Prometheus, and KUBEWRIGHT_REAL not off';
  const isRequired = realSide.isRequired && ci === 'true';
  return existsSync(SERVER) || isRequired ? undefined : 'needs the Debian package prometheus';
}

/** `program`: default that of the Debian package; `job`: more of how it scrapes. */
type PrometheusOptions = { readonly program?: string; readonly job?: Readonly<Record<string, unknown>> };

/** A Prometheus that scrapes `target` (`127.0.0.1:PORT`, path `/metrics`) each second, with its data in a temporary folder. */
export async function startPrometheus(
  target: string,
  { program = SERVER, job: more = {} }: PrometheusOptions = {},
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  const job = { job_name: 'pods', honor_labels: true, static_configs: [{ targets: [target] }], ...more };
  const global = { scrape_interval: '1s', scrape_timeout: '1s' };
  writeFileSync(config, JSON.stringify({ global, scrape_configs: [job] }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const server = startChild(program, args, join(folder, 'log'), folder, { PATH: process.env['PATH'] });
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady(url))) {
    if (!server.running || Date.now() > deadline) assert.fail(`Prometheus did not start:\n${server.tail()}`);
    await delay(200);
  }
  return {
    url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/-/ready`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
