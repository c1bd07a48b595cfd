import { parseArgs } from 'node:util';
import { runWorld, type Scenario, shrinkFaults } from '@kubewright/cluster';
import { electionScenario } from './election.ts';
import { ownershipScenario } from './ownership.ts';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ownership: ownershipScenario,
  election: electionScenario(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const [name = 'ownership'] = positionals;
const scenario = SCENARIOS[name];
if (scenario === undefined) {
  process.stderr.write(`there is no scenario "${name}"; there is ${Object.keys(SCENARIOS).join(', ')}\n`);
  process.exit(2);
}
const first = Number(values.seed ?? 1);
const last = values.seed === undefined ? Number(values.seeds) : first;
const started = performance.now();
let failed = 0;
let faults = 0;
for (let seed = first; seed <= last; seed++) {
  const result = await runWorld({ seed, scenario });
  faults += result.faults.length;
  if (values.trace) process.stdout.write(`${result.trace.join('\n')}\n`);
  if (result.failure === undefined) continue;
  failed++;
  const least = await shrinkFaults({ seed, scenario }, result);
  process.stdout.write(
    `seed ${seed}: ${least.failure ?? result.failure}\n  with ${JSON.stringify(least.faults)}\n`,
  );
  process.stdout.write(`  replay: npm run simulate -- ${name} --seed ${seed} --trace\n`);
  if (failed >= 5) break;
}
const seconds = (performance.now() - started) / 1000;
const runs = last - first + 1;
process.stdout.write(
  `${name}: ${runs} worlds with ${faults} faults in ${seconds.toFixed(1)} s (${(runs / seconds).toFixed(0)}/s), ${failed} failed\n`,
);
process.exitCode = failed > 0 ? 1 : 0;
