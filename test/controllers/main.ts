import { appendFileSync, writeFileSync } from 'node:fs';
import { CONTROLLERS, findController } from '../../tools/assets/find-controllers.mjs';
import { findServers } from '../../tools/assets/find.mjs';
import { PLANTS } from '../../tools/assets/plants.mjs';
import { readOptions } from '../../tools/read-options.ts';
import { faultsOf, formatResults, type Result } from './format-results.ts';
import { playScenario } from './play-scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const USAGE = `npm run test:controllers [-- NAME …] [--log] [--writes FILE]: plays real controllers beside drift
  --log     what they and the manager have printed
  --writes  a file for all that was written, one JSON a line
Each is given objects in three namespaces: without a policy, with one that logs, with one that enforces. Prints how often it
wrote, and what drift said. Needs npm run assets and npm run assets:controllers. Names:
${SCENARIOS.map(({ name, leftOut }) => `  ${name}${leftOut === undefined ? '' : ` (without ${leftOut})`}; planted: ${PLANTS[name]?.about ?? 'nothing'}`).join('\n')}`;

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { log: { type: 'boolean', default: false }, writes: { type: 'string' } },
});
const unknown = positionals.filter((name) => SCENARIOS.every((one) => one.name !== name));
if (unknown.length > 0) {
  console.error(`There is no controller ${unknown.join(', ')}\n\n${USAGE}`);
  process.exit(2);
}
const assets = findServers();
if (assets === undefined) {
  console.error('there is no kube-apiserver: run npm run assets');
  process.exit(2);
}
const results: Result[] = [];
let played = 0;
let failed = 0;
let skipped = 0;
if (values.writes !== undefined) writeFileSync(values.writes, '');
for (const scenario of SCENARIOS) {
  const { name } = scenario;
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const programs = findController(name);
  if (programs === undefined) {
    skipped += 1;
    console.log(`${name}: not built, npm run assets:controllers -- ${name} builds it`);
    continue;
  }
  console.log(`${name}:`);
  played += 1;
  try {
    const log = (line: string): void => console.log(line);
    const life = await playScenario(scenario, programs, { assets, log, keep: values.log });
    const releases = CONTROLLERS[name]?.versions.join(' → ') ?? '';
    results.push({ ...life, releases });
    const faults = faultsOf(life);
    for (const fault of faults) console.log(`  FAILED: ${fault}`);
    if (faults.length > 0) failed += 1;
    if (values.writes !== undefined)
      appendFileSync(values.writes, life.writes.map((write) => `${JSON.stringify(write)}\n`).join(''));
  } catch (error) {
    failed += 1;
    console.log(`  FAILED: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
console.log(`\n${formatResults(results)}`);
console.log(`${played - failed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
