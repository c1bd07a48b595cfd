import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { admissionregistrationv1 } from '@kubewright/kube';
import type { FloodSize, Target } from '../../test/attack/flood.ts';
import { type Installation, withInstallation } from '../../test/attack/installation.ts';
import type { Seen } from '../../test/attack/second-client.ts';
import { startSide } from '../../test/support/side-process.ts';
import type { Comparison, ComparisonRow } from '../comparison.ts';

const FLOOD = fileURLToPath(new URL('flood-process.ts', import.meta.url));
const QUIET_MS = 10_000;
/** How long it may take until the memory of a flood is given back. */
const SETTLE_MS = 60_000;
const CONNECTIONS_AND_REVIEWS: FloodSize = { slow: 500, reviews: 40, reviewBytes: 3_000_000, cancelled: 0 };
const ALL: FloodSize = { ...CONNECTIONS_AND_REVIEWS, cancelled: 10_000 };
/** A path that somebody may guess. */
const GUESSED = '/drift/if-it-is-down-run/kubewright-drift-doctor';
const MAX_MEGABYTES = 256;

type Side = {
  readonly quiet: Seen;
  /** With slow connections and reviews, at the path that is configured. */
  readonly flooded: Seen;
  /** With cancelled requests, too, at a path that somebody may guess. */
  readonly all: Seen;
  readonly megabytes: { readonly before: number; readonly peak: number; readonly after: number };
  /** 1 where the manager ended. */
  readonly exits: number;
};

/** The manager beside a flood of its webhook port; beside another checkout that was built (`--base`), or what it may take. */
export async function benchFlood({ base }: { readonly base?: string }): Promise<Comparison> {
  const ours = await measure(undefined);
  const theirs = base === undefined ? undefined : await measure(commandOf(base));
  const row = (name: string, unit: string, of: (side: Side) => number, limits: Limits): ComparisonRow => ({
    name,
    unit,
    ours: of(ours),
    theirs: theirs === undefined || limits.isAbsolute === true ? limits.most : of(theirs),
    target: theirs === undefined || limits.isAbsolute === true ? 1 : limits.ratio,
    better: 'less',
  });
  return {
    title: 'legitimate writes and the manager while its webhook port is flooded',
    sides: ['now', theirs === undefined ? 'at most' : 'before'],
    rows: [
      row('quiet: p99 of writes', 'ms', ({ quiet }) => quiet.p99Write, { most: 250, ratio: 1 }),
      row('slow connections, reviews of 3 MB: p99 of writes', 'ms', ({ flooded }) => flooded.p99Write, {
        most: 250,
        ratio: 0.1,
      }),
      row('slowest', 'ms', ({ flooded }) => flooded.slowestWrite, { most: 250, ratio: 0.1 }),
      row('writes that failed', 'writes', ({ flooded, all }) => flooded.errors.length + all.errors.length, {
        most: 1,
        ratio: 0,
      }),
      row('cancelled requests, too: p99 of writes (at most)', 'ms', ({ all }) => all.p99Write, {
        most: 250,
        ratio: 1,
        isAbsolute: true,
      }),
      row('managers that ended', 'exits', ({ exits }) => exits, { most: 1, ratio: 0 }),
      row('memory at the peak (at most)', 'MB', ({ megabytes }) => megabytes.peak, {
        most: MAX_MEGABYTES,
        ratio: 1,
        isAbsolute: true,
      }),
      row('memory afterwards (at most)', 'of before', ({ megabytes: { before, after } }) => after / before, {
        most: 1.2,
        ratio: 1,
        isAbsolute: true,
      }),
    ],
  };
}

type Limits = { readonly most: number; readonly ratio: number; readonly isAbsolute?: true };

function commandOf(checkout: string): readonly string[] {
  const command = join(checkout, 'packages/kubewright/bin/kubewright.mjs');
  if (!existsSync(command)) throw new TypeError(`--base ${checkout}: there is no ${command}; build it`);
  return [command];
}

function measure(command: readonly string[] | undefined): Promise<Side> {
  return withInstallation(command === undefined ? {} : { command }, async (installation) => {
    const { secondClient } = installation;
    await secondClient.begin();
    await sleep(QUIET_MS);
    const quiet = await secondClient.end();
    const { manager } = installation;
    const before = manager.memory();
    manager.forgetPeak();
    const flooded = await during(
      installation,
      { path: await configuredPath(installation) },
      CONNECTIONS_AND_REVIEWS,
    );
    const all = await during(installation, { path: GUESSED }, ALL);
    const peak = manager.peak();
    const after = await settled(() => manager.memory(), before);
    return {
      quiet,
      flooded,
      all,
      megabytes: { before, peak, after },
      exits: manager.exit === undefined ? 0 : 1,
    };
  });
}

async function during(
  { secondClient, webhookPort: port }: Installation,
  { path }: Pick<Target, 'path'>,
  size: FloodSize,
): Promise<Seen> {
  const target: Target = { port, path };
  const about = [target, size].map((given) => JSON.stringify(given));
  const flooding = startSide(process.execPath, [...process.execArgv, FLOOD, ...about]);
  try {
    await secondClient.begin();
    await flooding.ask<true>('flood');
    return await secondClient.end();
  } finally {
    await flooding.stop();
  }
}

async function settled(memory: () => number, before: number): Promise<number> {
  const until = performance.now() + SETTLE_MS;
  while (memory() > before * 1.2 && performance.now() < until) await sleep(1000);
  return memory();
}

/** The worst case: somebody has read the configuration. */
async function configuredPath({ client }: Installation): Promise<string> {
  const { webhooks } = await client.get(admissionregistrationv1.mutatingwebhookconfigurations, {
    name: 'kubewright-drift',
  });
  return webhooks?.[0]?.clientConfig.service?.path ?? GUESSED;
}
