import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { KubeObject } from '@kubewright/kube';

/** The programs of both major versions, see `findHelm`. */
export type HelmPrograms = { readonly helm3: string; readonly helm4: string };

/** What Helm printed, and its exit code. */
type HelmRan = { readonly code: number; readonly out: string };

/** Helm of one major version, on one cluster. */
export type Helm = (...args: readonly string[]) => Promise<HelmRan>;

/** Calls `program` with settings and caches of its own below `folder`. */
export function helmCaller(program: string, kubeconfig: string, folder: string): Helm {
  const home = (name: string): string => join(folder, name);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: home('cache'),
    HELM_CONFIG_HOME: home('config'),
    HELM_DATA_HOME: home('data'),
  };
  return async (...args) => {
    // Helm's field manager is the name by which it was called.
    const child = spawn(program, args, { env, argv0: 'helm', stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code: Number(code), out: `${out}${err}` };
  };
}

/** Writes a chart of fixed manifests into `folder`, over the one that is there. Returns its path. */
export function writeChart(folder: string, version: string, manifests: readonly KubeObject[]): string {
  mkdirSync(join(folder, 'templates'), { recursive: true });
  const chart = { apiVersion: 'v2', name: 'shop', version };
  writeFileSync(join(folder, 'Chart.yaml'), JSON.stringify(chart));
  const documents = manifests.map((manifest) => JSON.stringify(manifest));
  assert(!documents.some((document) => document.includes('{{')), 'a manifest must not be a template');
  writeFileSync(join(folder, 'templates', 'all.yaml'), documents.join('\n---\n'));
  return folder;
}
