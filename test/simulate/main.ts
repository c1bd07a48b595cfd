import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { runWorld, type Scenario, shrinkFaults, sievePatterns } from '@kubewright/cluster';
import { readOptions } from '../../tools/read-options.ts';
import { digest } from './digest.ts';
import { findScenario, scenarioNames } from './scenarios.ts';

/** Failures that are shown: one is seldom alone, and more say no more. */
const SHOWN = 5;

const PROGRESS_SECONDS = 30;

const USAGE = `npm run simulate -- SCENARIO [options]: plays a scenario in many worlds, each with faults that its seed decides
  --seeds N    how many worlds (default 100)
  --from S     the first seed (default 1)
  --seed S     only the world of this seed
  --twice      plays each world twice, and compares
  --trace      prints what happened in each world
Prints every ${PROGRESS_SECONDS} seconds how far it is; Ctrl-C ends it with the totals so far. A failure prints the command that replays it.
Scenarios: ${scenarioNames().join(', ')}`;

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Plays one seed; undefined where all held. */
async function play(name: string, scenario: Scenario, seed: number): Promise<string | undefined> {
  const result = await runWorld({ seed, scenario });
  totals.faults += result.faults.length;
  const { intermediate, stale, unobserved } = sievePatterns(result.trace);
  totals.intermediate += intermediate;
  totals.stale += stale;
  totals.unobserved += unobserved;
  if (values.trace) print(result.trace.join('\n'));
  const own = digest(result);
  totals.hash.update(own);
  if (values.twice && digest(await runWorld({ seed, scenario })) !== own)
    return `seed ${seed}: the second run differs from the first`;
  if (result.failure === undefined) return undefined;
  const { failure, faults } = await shrinkFaults({ seed, scenario }, result);
  const replay = `npm run simulate -- ${name} --seed ${seed} --trace`;
  return `seed ${seed}: ${failure ?? result.failure}\n  with ${JSON.stringify(faults)}\n  replay: ${replay}`;
}

const totals = {
  worlds: 0,
  faults: 0,
  failed: 0,
  intermediate: 0,
  stale: 0,
  unobserved: 0,
  hash: createHash('sha256'),
};

function reportProgress(name: string, { of, at }: { of: number; at: number }): number {
  if (performance.now() - at < PROGRESS_SECONDS * 1000) return at;
  process.stderr.write(`${name}: ${totals.worlds} of ${of} worlds, ${totals.failed} failed\n`);
  return performance.now();
}

async function playAll(name: string, scenario: Scenario): Promise<void> {
  const first = Number(values.seed ?? values.from);
  const seeds = values.seed === undefined ? Number(values.seeds) : 1;
  const of = values.twice ? 2 * seeds : seeds;
  let at = performance.now();
  for (let seed = first; seed < first + seeds && totals.failed < SHOWN; seed++) {
    const failure = await play(name, scenario, seed);
    totals.worlds += values.twice ? 2 : 1;
    if (failure !== undefined) {
      totals.failed++;
      print(failure);
    }
    at = reportProgress(name, { of, at });
    // A signal is received between two worlds.
    await setImmediate();
    if (interrupted) return;
  }
}

let interrupted = false;
process.once('SIGINT', () => (interrupted = true));

const [name = 'ownership'] = positionals;
const scenario = findScenario(name);
if (scenario === undefined) {
  process.stderr.write(`there is no scenario "${name}"; there is ${scenarioNames().join(', ')}\n`);
  process.exitCode = 2;
} else {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await playAll(name, scenario);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const { worlds, faults, failed, hash } = totals;
  const perSecond = (worlds / seconds).toFixed(1);
  const perProcessor = ((worlds * 1e6) / (user + system)).toFixed(1);
  print(
    `${name}: ${worlds} worlds with ${faults} faults in ${seconds.toFixed(1)} s, ${failed} failed\n` +
      `  ${perSecond} worlds/s, ${perProcessor} per second of processor time\n` +
      `  states: ${totals.intermediate} intermediate, ${totals.stale} stale, ${totals.unobserved} unobserved\n` +
      `  digest of all traces: ${hash.digest('hex').slice(0, 16)}${values.twice && failed === 0 ? ', twice the same' : ''}`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
