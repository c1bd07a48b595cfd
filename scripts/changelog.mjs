// Checks that a version of CHANGELOG.md stays short: its users read it before they update. What is new for nobody who uses
// Kubewright is in the commit alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './checks/sources.mjs';

const LINES = 40;
const WIDTH = 250;

const [, ...versions] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m);
const faults = versions.flatMap((version) => {
  const [name, ...lines] = version.trim().split('\n');
  const long = lines.filter((line) => line.length > WIDTH);
  return [
    ...(lines.length > LINES ? [`CHANGELOG.md: ${name} has ${lines.length} lines: at most ${LINES}`] : []),
    ...long.map(
      (line) => `CHANGELOG.md: ${line.slice(0, 60)}… has ${line.length} characters: at most ${WIDTH}`,
    ),
  ];
});
for (const fault of faults) console.error(fault);
console.log(
  `changelog: ${versions.length} versions, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
