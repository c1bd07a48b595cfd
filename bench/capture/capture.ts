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
import type { Comparison, ComparisonRow } from '../comparison.ts';
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
import { type Measured, measuredCli, OURS, startManager } from './measured-cli.ts';

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

type Run = { readonly captured: Captured; readonly restored: Restored };

/**
 * A namespace of 10,000 objects from a kube-apiserver into another one; beside another checkout that was built (`--base`),
 * or what it may take.
 */
export async function benchCapture({ base }: { readonly base?: string }): Promise<Comparison> {
  const theirs = base === undefined ? undefined : await measure(base);
  const ours = await measure(OURS);
  return theirs === undefined ? comparison(ours) : besideBase(ours, theirs, base ?? '');
}

async function measure(checkout: string): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const archive = join(directory, 'bench.tar');
  try {
    const captured = await withKubeApiServer((server) => captureAll(checkout, server, archive));
    const { written } = captured;
    const restored = await withKubeApiServer((server) => restoreAll(checkout, server, archive, written));
    return { captured, restored };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function captureAll(checkout: string, server: SharedServer, archive: string): Promise<Captured> {
  const { client, kubeconfig } = server;
  await fillNamespace(client);
  await client.create<KubeObject>(
    { group: '', version: 'v1', kind: 'Namespace' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubewright' } },
  );
  const manager = await startManager(checkout, kubeconfig);
  const cluster = ['--kubeconfig', kubeconfig] as const;
  const capture = () => measuredCli(checkout, ['capture', 'namespace', NAMESPACE, ...cluster]);
  const [kubectl, captures]: [number[], Measured[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    kubectl.push(await kubectlSeconds(kubeconfig));
    captures.push(await capture());
  }
  const meddling = new AbortController();
  const changed = keepChanging(client, meddling.signal);
  const last = await capture();
  meddling.abort();
  const checkpoint = /nss-mcp-\w+/.exec(last.stdout)?.[0] ?? assert.fail(last.stdout);
  const managerPeak = await manager.stop();
  const exported = await measuredCli(checkout, ['capture', 'export', checkpoint, archive, ...cluster]);
  const all = (await readCheckpoint(client, checkpoint)).map((object) => object as KubeObject);
  // What is around them is not counted: a build may capture it or not.
  const captured = all.filter(({ kind }) => kind !== 'Namespace');
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
  checkout: string,
  { client, kubeconfig }: SharedServer,
  archive: string,
  written: ReadonlySet<string>,
): Promise<Restored> {
  await installDefinitions(client, [GADGET.definition], { fieldManager: 'bench' });
  const cluster = ['--kubeconfig', kubeconfig] as const;
  const verified = await measuredCli(checkout, ['capture', 'verify', archive]);
  const restored = await measuredCli(checkout, ['capture', 'restore', archive, '--yes', ...cluster]);
  // Every object is compared in canonical form, without what only a server sets: by the operator, and without it.
  const again = await measuredCli(checkout, [
    'capture',
    'restore',
    archive,
    '--dry-run',
    '-o',
    'json',
    ...cluster,
  ]);
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

const TITLE = `${OBJECTS} objects of a namespace on a kube-apiserver`;
const NONE = { unit: 'objects', theirs: 1, target: 0, better: 'less' } as const;

function commandPeak({ captured, restored }: Run): number {
  return Math.max(captured.commandPeak, restored.commandPeak);
}

function exactness({ captured, restored }: Run): readonly ComparisonRow[] {
  return [
    { name: 'not captured byte for byte', ours: captured.captureDiffers, ...NONE },
    { name: 'not restored byte for byte', ours: restored.differs, ...NONE },
  ];
}

function besideBase(ours: Run, theirs: Run, base: string): Comparison {
  const row = (name: string, unit: string, of: (run: Run) => number, target: number): ComparisonRow => ({
    name,
    unit,
    ours: of(ours),
    theirs: of(theirs),
    target,
    better: target > 1 ? 'more' : 'less',
  });
  return {
    title: `${TITLE} (beside it: the build of ${base})`,
    sides: ['capture', base],
    rows: [
      row('captured', 'objects/s', ({ captured }) => OBJECTS / captured.captureSeconds, 2),
      row('restored', 'objects/s', ({ restored }) => OBJECTS / restored.seconds, 2),
      row('memory of the manager', 'MB', ({ captured }) => captured.managerPeak, 0.7),
      row('memory of any command', 'MB', commandPeak, 0.7),
      ...exactness(ours),
    ],
  };
}

function comparison(run: Run): Comparison {
  const memory = { unit: 'MB', theirs: MAX_MEMORY_MB, target: 1, better: 'less' } as const;
  const { captured, restored } = run;
  const { captureSeconds, kubectlSeconds: seconds, managerPeak } = captured;
  return {
    title: `${TITLE} (beside it: kubectl get -o json, or what it may)`,
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
      { name: 'memory of any command', ours: commandPeak(run), ...memory },
      ...exactness(run),
      { name: 'restore', unit: 's', ours: restored.seconds, theirs: 120, target: 1, better: 'less' },
    ],
  };
}
