import { fileURLToPath } from 'node:url';
import { corev1 } from '@kubewright/kube';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { goProgram } from '../go-program.ts';
import { median } from '../median.ts';
import { type SideProcess, startSide } from '../../test/support/side-process.ts';
import { withKubeApiServer } from '../with-kube-apiserver.ts';

const CONCURRENCY = 20;
/** The first rounds only warm up. */
const [WARM_UP, ROUNDS, WRITES] = [2, 9, 300];

type Took = { readonly seconds: number; readonly cpuSeconds: number };

/** Medians over the rounds. */
type Measured = { readonly writesPerSecond: number; readonly cpuMillis: number };

/** What is measured: a name, and how its process is started without its arguments. */
type Side = { readonly name: string; readonly command: readonly [program: string, ...args: string[]] };

const script = (url: URL): Side['command'] => [process.execPath, fileURLToPath(url)];

type Running = { readonly name: string; readonly process: SideProcess; readonly took: Took[] };

/** Each side in turn, again and again, on one server: what the machine does besides falls on all alike. */
async function measure(sides: readonly Side[]): Promise<ReadonlyMap<string, Measured>> {
  return withKubeApiServer(async ({ kubeconfig, client }) => {
    const metadata = { name: 'bench' };
    await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    const running = sides.map(({ name, command: [program, ...args] }): Running => {
      const process = startSide(program, [...args, kubeconfig, metadata.name, String(CONCURRENCY)]);
      return { name, process, took: [] };
    });
    try {
      for (let round = -WARM_UP; round < ROUNDS; round++) await play(running, round);
    } finally {
      for (const { process } of running) await process.stop();
    }
    return new Map(running.map(({ name, took }) => [name, summary(took)]));
  });
}

async function play(running: readonly Running[], round: number): Promise<void> {
  for (const [index, { process, took }] of running.entries()) {
    const answer = await process.ask<Took>(`map-${index}-${WARM_UP + round} ${WRITES}`);
    if (round >= 0) took.push(answer);
  }
}

function summary(took: readonly Took[]): Measured {
  return {
    writesPerSecond: WRITES / median(took.map(({ seconds }) => seconds)),
    cpuMillis: (1000 * median(took.map(({ cpuSeconds }) => cpuSeconds))) / WRITES,
  };
}

/** What our client writes in a second, beside the official one for JavaScript and the one for Go. */
export async function benchClient(): Promise<Comparison> {
  const go = await goProgram('client');
  const measured = await measure([
    { name: 'kubewright', command: script(new URL('kubewright-process.mjs', import.meta.url)) },
    { name: '@kubernetes/client-node', command: script(new URL('client-node-process.mjs', import.meta.url)) },
    ...(go === undefined ? [] : [{ name: 'client-go', command: [go] } as const]),
  ]);
  const ours = measured.get('kubewright');
  const targets = [
    ['@kubernetes/client-node', 5],
    ['client-go', 0.9],
  ] as const;
  const rows = targets.flatMap(([name, target]): ComparisonRow[] => {
    const theirs = measured.get(name);
    if (ours === undefined || theirs === undefined) return [];
    console.error(
      `CPU of a write: ${ours.cpuMillis.toFixed(2)} ms, ${name} ${theirs.cpuMillis.toFixed(2)} ms`,
    );
    const rates = { ours: ours.writesPerSecond, theirs: theirs.writesPerSecond };
    return [{ name: `writes beside ${name}`, unit: '/s', ...rates, target, better: 'more' }];
  });
  return {
    title: `ConfigMaps created on a kube-apiserver, ${CONCURRENCY} at a time`,
    sides: ['kubewright', 'theirs'],
    rows,
  };
}
