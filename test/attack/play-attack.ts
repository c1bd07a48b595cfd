import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined, errorText } from '@kubewright/kube';
import { type Attack, type Damage, isShort } from './attack.ts';
import { type Installation, withInstallation } from './installation.ts';
import type { Seen } from './second-client.ts';
import type { WatchedProcess } from './watched-process.ts';

/** Megabytes of a process: before the attack, at its peak, and afterwards. */
type Memory = { readonly before: number; readonly peak: number; readonly after: number };

export type Verdict = {
  readonly name: string;
  readonly inputs: number;
  readonly seen?: Seen;
  readonly manager?: Memory;
  readonly cluster?: Memory;
  readonly seconds: number;
  /** None: the installation stood. */
  readonly faults: readonly string[];
};

/** No request of a second client takes longer because of an attack. The short form runs on any machine, however busy it is. */
const MAX_DELAY_MS = isShort ? 2000 : 250;
/** How much memory may remain, of what there was before. */
const MAX_REMAINING = 1.2;
/** The garbage of an attack is collected when more comes; and caches of a process that has just started fill meanwhile. */
const SETTLED_MB = 40;
const CALM_MS = 1000;
const SETTLE_MS = 60_000;

/** Plays one attack in an installation of its own. */
export async function playAttack(attack: Attack): Promise<Verdict> {
  const began = performance.now();
  const verdict = await (attack.needsInstallation === false
    ? attack.play(NO_INSTALLATION).then(
        (damage) => ({ ...counted(damage), faults: damage.effects ?? [] }),
        (error: unknown) => ({ inputs: 0, faults: [errorText(error)] }),
      )
    : withInstallation(defined({ env: attack.env, images: attack.images }), (installation) =>
        inInstallation(attack, installation),
      ).catch((error: unknown) => ({ inputs: 0, faults: [errorText(error)] })));
  return { ...verdict, name: attack.name, seconds: (performance.now() - began) / 1000 };
}

const NO_INSTALLATION = Object.freeze({}) as Installation;

const counted = ({ inputs }: Damage): Pick<Verdict, 'inputs'> => ({ inputs });

async function inInstallation(
  attack: Attack,
  installation: Installation,
): Promise<Omit<Verdict, 'name' | 'seconds'>> {
  await installation.secondClient.begin();
  await sleep(CALM_MS);
  const [manager, cluster] = [observe(installation.manager), observe(installation.cluster)];
  await installation.secondClient.begin();
  // Attackers have processors of their own; on a small machine they must not take those of who is measured.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  let damage: Damage = { inputs: 0 };
  const faults: string[] = [];
  try {
    damage = await attack.play(installation);
  } catch (error) {
    faults.push(errorText(error));
  }
  // Until now it has worked on; what comes late is part of it.
  await sleep(CALM_MS);
  const seen = await installation.secondClient.end();
  faults.push(...(damage.effects ?? []), ...exits(installation));
  if (attack.isLong !== true) faults.push(...delays(seen, attack));
  const memories = {
    manager: await manager(installation.manager),
    cluster: await cluster(installation.cluster),
  };
  faults.push(...kept('manager', memories.manager), ...kept('cluster', memories.cluster));
  return { ...counted(damage), seen, ...memories, faults };
}

function exits({ manager, cluster }: Installation): string[] {
  return Object.entries({ manager, cluster }).flatMap(([name, process]) =>
    process.exit === undefined
      ? []
      : [`the ${name} ended with ${process.exit}: ${process.output().slice(-1000)}`],
  );
}

function delays({ slowestWrite, slowestReadyz, errors }: Seen, { maxDelayMs = 0 }: Attack): string[] {
  const most = Math.max(MAX_DELAY_MS, maxDelayMs);
  return [
    ...Object.entries({ 'a write': slowestWrite, '/readyz': slowestReadyz })
      .filter(([, ms]) => ms > most)
      .map(([what, ms]) => `${what} of the second client took ${Math.round(ms)} ms`),
    ...errors.map((error) => `the second client got: ${error}`),
  ];
}

/** Megabytes that a process may have afterwards. */
function mostAfter(before: number): number {
  return before * MAX_REMAINING + SETTLED_MB;
}

function kept(name: string, { before, after }: Memory): string[] {
  return after > mostAfter(before)
    ? [`the ${name} kept ${Math.round(after)} MB of memory (before: ${Math.round(before)} MB)`]
    : [];
}

/** Measures from now on. The result waits until memory is back, for a while. */
function observe(process: WatchedProcess): (now: WatchedProcess) => Promise<Memory> {
  const before = process.memory();
  process.forgetPeak();
  return async (now) => {
    const peak = now.peak();
    const until = performance.now() + SETTLE_MS;
    while (now.memory() > mostAfter(before) && performance.now() < until) await sleep(CALM_MS);
    return { before, peak, after: now.memory() };
  };
}

/** A table for people. */
export function formatVerdicts(verdicts: readonly Verdict[]): string {
  const memory = (of?: Memory): string =>
    of === undefined ? '-' : [of.before, of.peak, of.after].map(Math.round).join(' → ');
  const ms = (of?: number): string => (of === undefined ? '-' : of.toFixed(0));
  const rows = verdicts.map(({ name, inputs, seen, manager, cluster, seconds, faults }) => [
    name,
    String(inputs),
    ms(seen?.slowestWrite),
    ms(seen?.p99Write),
    ms(seen?.slowestReadyz),
    memory(manager),
    memory(cluster),
    seconds.toFixed(0),
    faults.length === 0 ? 'stands' : `FAILED (${faults.length})`,
  ]);
  const titles = [
    'attack',
    'inputs',
    'slowest write, ms',
    'p99',
    '/readyz',
    'manager, MB',
    'cluster, MB',
    's',
    '',
  ];
  const table = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
