// npm run scenarios: per specification, which numbered scenarios have a passing test and which have none.
// A test belongs to the scenarios that its title begins with: "OWN-T12 …", "OWN-T14 OWN-T16 …".
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readReport } from './report.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCENARIOS = join(ROOT, 'docs/scenarios');
const REPORT = join(ROOT, 'node_modules/.cache/kubewright/scenarios-report.json');
const ID = /\b(?:OWN|DRF|MIG|CRT|CAP)-[A-Z]{0,2}\d+[a-z]?\b/g;

/** Runs the tests; a failing one only means that its scenario is not proved. */
function runTests() {
  mkdirSync(dirname(REPORT), { recursive: true });
  const args = ['vitest', 'run', '--reporter=json', `--outputFile.json=${REPORT}`];
  spawnSync('npx', args, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** Ids → true when every test that bears the id passed. */
function results({ tests }) {
  const states = new Map();
  for (const { title, suites, status } of tests) {
    if (status !== 'passed' && status !== 'failed') continue;
    for (const id of new Set([...suites, title].join(' ').match(ID) ?? [])) {
      states.set(id, (states.get(id) ?? true) && status === 'passed');
    }
  }
  return states;
}

function readScenarios(file) {
  const lines = readFileSync(join(SCENARIOS, file), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => ({ id: line.split(' ', 1)[0], title: line.slice(line.indexOf(' ') + 1) }));
}

function report(file, states) {
  const scenarios = readScenarios(file);
  const passing = scenarios.filter(({ id }) => states.get(id) === true);
  const failing = scenarios.filter(({ id }) => states.get(id) === false);
  const without = scenarios.filter(({ id }) => !states.has(id));
  const name = file.replace('.txt', '').toUpperCase();
  console.log(`${name}: ${passing.length} of ${scenarios.length} with a passing test`);
  if (passing.length > 0) console.log(`  passing: ${passing.map(({ id }) => id).join(' ')}`);
  for (const { id, title } of failing) console.log(`  FAILING ${id} ${title}`);
  if (without.length === scenarios.length) return;
  for (const { id, title } of without) console.log(`  without ${id} ${title}`);
}

const given = process.argv[2];
if (given === undefined) runTests();
const path = given ?? REPORT;
if (existsSync(path)) {
  const states = results(readReport(path));
  for (const file of readdirSync(SCENARIOS)
    .filter((name) => name.endsWith('.txt'))
    .toSorted())
    report(file, states);
} else {
  console.error(`no report at ${path}`);
  process.exitCode = 1;
}
