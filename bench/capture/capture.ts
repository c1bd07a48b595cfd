import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@kubewright/client';
import { canonicalJson, type KubeObject } from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { readCheckpoint } from '@kubewright/operators';
import { findKubectl } from '../../tools/assets/find.mjs';
import type { Comparison } from '../comparison.ts';
import { median } from '../median.ts';
import { type SharedServer, withKubeApiServer } from '../with-kube-apiserver.ts';
import {
  CHANGING,
  fillNamespace,
  GADGET,
  keepChanging,
  keyOf,
  KINDS,
  NAMESPACE,
  OBJECTS,
  writtenOf,
} from './content.ts';
import { type Measured, measuredCli, startManager } from './measured-cli.ts';

const ROUNDS = 3;
const MAX_MEMORY_MB = 300;
const MIN_RATE = 0.7;

type Captured = {
  readonly captureSeconds: number;
  readonly kubectlSeconds: number;
  readonly managerPeak: number;
  /** The largest of any command. */
  readonly commandPeak: number;
  /** Captured objects that are equal to no version that was stored. */
  readonly captureDiffers: number;
  /** What was captured of each object, without what a server sets. */
  readonly written: ReadonlySet<string>;
};

/** A namespace of 10,000 objects from a kube-apiserver into another one. */
export async function benchCapture(): Promise<Comparison> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const archive = join(directory, 'bench.tar');
  try {
    const captured = await withKubeApiServer((server) => captureAll(server, archive));
    const restored = await withKubeApiServer((server) => restoreAll(server, archive, captured.written));
    return comparison(captured, restored);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function captureAll(server: SharedServer, archive: string): Promise<Captured> {
  const { client, kubeconfig } = server;
  await fillNamespace(client);
  await client.create<KubeObject>(
    { group: '', version: 'v1', kind: 'Namespace' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubewright' } },
  );
  const manager = await startManager(kubeconfig);
  const [kubectl, captures]: [number[], Measured[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    kubectl.push(await kubectlSeconds(kubeconfig));
    captures.push(await measuredCli('capture', 'namespace', NAMESPACE, '--kubeconfig', kubeconfig));
  }
  const meddling = new AbortController();
  const changed = keepChanging(client, meddling.signal);
  const last = await measuredCli('capture', 'namespace', NAMESPACE, '--kubeconfig', kubeconfig);
  meddling.abort();
  const checkpoint = /nss-mcp-\w+/.exec(last.stdout)?.[0] ?? assert.fail(last.stdout);
  const managerPeak = await manager.stop();
  const exported = await measuredCli('capture', 'export', checkpoint, archive, '--kubeconfig', kubeconfig);
  const captured = (await readCheckpoint(client, checkpoint)).map((object) => object as KubeObject);
  return {
    captureSeconds: median(captures.map(({ seconds }) => seconds)),
    kubectlSeconds: median(kubectl),
    managerPeak,
    commandPeak: Math.max(...[...captures, last, exported].map(({ peak }) => peak)),
    captureDiffers: await countDifferences(client, captured, await changed),
    written: new Set(captured.map((object) => writtenOf(object))),
  };
}

/** Seconds in which kubectl reads the same objects. */
async function kubectlSeconds(kubeconfig: string): Promise<number> {
  const kubectl = findKubectl() ?? assert.fail('kubectl is needed: npm run assets');
  const kinds = KINDS.map(({ resource, group }) => (group === '' ? resource : `${resource}.${group}`)).join(
    ',',
  );
  const args = ['get', kinds, '-n', NAMESPACE, '-o', 'json', '--kubeconfig', kubeconfig];
  const began = performance.now();
  await promisify(execFile)(kubectl, args, { maxBuffer: 1024 ** 3 });
  return (performance.now() - began) / 1000;
}

/** Each captured object, whole, is equal to one that was stored; all are there. */
async function countDifferences(
  client: Client,
  captured: readonly KubeObject[],
  versions: readonly KubeObject[],
): Promise<number> {
  const stored = new Set(versions.map((version) => canonicalJson(version)));
  for (const ref of KINDS)
    for (const object of (await client.list(ref, { namespace: NAMESPACE })).items)
      stored.add(canonicalJson(object));
  const keys = new Set(captured.map((object) => keyOf(object)));
  assert.ok(CHANGING.every((name) => keys.has(`ConfigMap/${name}`)));
  const equal = captured.filter((object) => stored.delete(canonicalJson(object)));
  return captured.length - equal.length + (OBJECTS - keys.size);
}

type Restored = { readonly seconds: number; readonly commandPeak: number; readonly differs: number };

async function restoreAll(
  { client, kubeconfig }: SharedServer,
  archive: string,
  written: ReadonlySet<string>,
): Promise<Restored> {
  await installDefinitions(client, [GADGET.definition], { fieldManager: 'bench' });
  const cluster = ['--kubeconfig', kubeconfig] as const;
  const verified = await measuredCli('capture', 'verify', archive);
  const restored = await measuredCli('capture', 'restore', archive, '--yes', ...cluster);
  // Every object is compared in canonical form, without what only a server sets: by the operator, and without it.
  const again = await measuredCli('capture', 'restore', archive, '--dry-run', '-o', 'json', ...cluster);
  const plan = JSON.parse(again.stdout) as readonly { readonly action: string }[];
  const unchanged = plan.filter(({ action }) => action === 'unchanged').length;
  return {
    seconds: restored.seconds,
    commandPeak: Math.max(verified.peak, restored.peak),
    differs: OBJECTS - Math.min(unchanged, await countEqual(client, written)),
  };
}

/** Objects of this cluster that are what was captured. */
async function countEqual(client: Client, written: ReadonlySet<string>): Promise<number> {
  let equal = 0;
  for (const ref of KINDS)
    for (const object of (await client.list(ref, { namespace: NAMESPACE })).items)
      if (written.has(writtenOf(object))) equal++;
  return equal;
}

function comparison(captured: Captured, restored: Restored): Comparison {
  const memory = { unit: 'MB', theirs: MAX_MEMORY_MB, target: 1, better: 'less' } as const;
  const none = { unit: 'objects', theirs: 1, target: 0, better: 'less' } as const;
  const { captureSeconds, kubectlSeconds: seconds, managerPeak } = captured;
  const peak = Math.max(captured.commandPeak, restored.commandPeak);
  return {
    title: `${OBJECTS} objects of a namespace on a kube-apiserver (beside it: kubectl get -o json, or what it may)`,
    sides: ['capture', 'kubectl'],
    rows: [
      {
        name: 'captured',
        unit: 'objects/s',
        ours: OBJECTS / captureSeconds,
        theirs: OBJECTS / seconds,
        target: MIN_RATE,
        better: 'more',
      },
      { name: 'memory of the manager', ours: managerPeak, ...memory },
      { name: 'memory of any command', ours: peak, ...memory },
      { name: 'not captured byte for byte', ours: captured.captureDiffers, ...none },
      { name: 'not restored byte for byte', ours: restored.differs, ...none },
      { name: 'restore', unit: 's', ours: restored.seconds, theirs: 120, target: 1, better: 'less' },
    ],
  };
}
