import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, inputs } from '../attack.ts';
import type { Installation } from '../installation.ts';
import { captureWork } from './capture-work.ts';
import { classesWork } from './classes-work.ts';
import { driftWork } from './drift-work.ts';
import { migrationWork } from './migration-work.ts';
import { ownershipWork } from './ownership-work.ts';
import { changedSince, versionsOf } from './versions.ts';
import type { Work } from './work.ts';

const ROUNDS = 20;
/** Within this time after its work has begun the manager is killed. */
const KILLED_WITHIN_MS = 2000;
const PATIENCE_MS = 300_000;
const LOOK_MS = 1000;
/** In which a manager that has just been started writes what it believes to be missing. */
const SECOND_PASS_MS = 20_000;

const { resolve } = createRequire(import.meta.url);

/** Somebody kills the manager without a warning, again and again, over the work of all five operators. */
export const kill: Attack = {
  name: 'kill',
  about: 'the node of the manager fails in the middle of the work of all five operators, 20 times: SIGKILL',
  isLong: true,
  env: { MS2M_BROKERS: '127.0.0.1' },
  images: { 'kubewright.io/demo-consumer:1': resolve('@kubewright/operators/demo-consumer') },
  async play(installation) {
    const work = [
      ownershipWork(installation),
      captureWork(installation),
      classesWork(installation),
      driftWork(installation),
      await migrationWork(installation),
    ];
    try {
      for (const one of work) await one.prepare();
      const rounds = inputs(ROUNDS);
      for (let round = 1; round <= rounds; round++) await killOnce(installation, work, round);
      const faults = await untilRight(work);
      return { inputs: rounds, effects: faults.length > 0 ? faults : await secondPass(installation) };
    } finally {
      for (const one of work) await one.close?.();
    }
  },
};

async function killOnce(installation: Installation, work: readonly Work[], round: number): Promise<void> {
  const begun = Promise.all(work.map((one) => one.begin(round)));
  begun.catch(() => undefined);
  await sleep(randomInt(KILLED_WITHIN_MS));
  installation.manager.kill('SIGKILL');
  await installation.manager.ended;
  await installation.startManager();
  await begun;
  process.stderr.write(`  killed ${round} times\n`);
}

async function untilRight(work: readonly Work[]): Promise<readonly string[]> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(LOOK_MS)) {
    const faults = (await Promise.all(work.map((one) => one.faults()))).flat();
    if (faults.length === 0 || performance.now() > until) return faults;
  }
}

/** Everything is as it should be: a manager that is started now has nothing to write. */
async function secondPass({
  transport,
  client,
  manager,
  ...installation
}: Installation): Promise<readonly string[]> {
  await sleep(SECOND_PASS_MS);
  const before = await versionsOf(transport, client);
  manager.kill('SIGKILL');
  await manager.ended;
  await installation.startManager();
  await sleep(SECOND_PASS_MS);
  const changed = changedSince(before, await versionsOf(transport, client));
  return changed.map((object) => `the second pass wrote ${object}`);
}
