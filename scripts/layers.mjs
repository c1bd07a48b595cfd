// Enforces the layers of the packages: who may import whom, that kube is pure, that time and randomness are injected, that
// nothing imports in a circle, and that a file has the name of what it exports.
// `--names` prints the files that have another name.
import { codeFaults } from './checks/code.mjs';
import { fileNames } from './checks/file-names.mjs';
import { importFaults } from './checks/imports.mjs';
import { knotLines, knots } from './checks/knots.mjs';
import { lineOf, sources } from './checks/sources.mjs';

/** Casts through `unknown` in all packages, tests too. Each needs a comment that says why no type can tell. */
const UNCHECKED_CASTS = 3;

/** The least percentage of files that have the name of one of their exports. */
const NAMED = 95;

function sourceFaults(all) {
  let casts = 0;
  const faults = [];
  for (const source of all) {
    for (const { start, fault, cast } of [...importFaults(source), ...codeFaults(source)]) {
      if (cast) casts += 1;
      else faults.push(`${source.file}:${lineOf(source.text, start)}: ${fault}`);
    }
  }
  if (casts > UNCHECKED_CASTS) faults.push(`${casts} casts through unknown: at most ${UNCHECKED_CASTS}`);
  return faults;
}

function nameFaults(all) {
  const { counted, off } = fileNames(all);
  const share = (100 * (counted - off.length)) / counted;
  console.log(`layers: ${share.toFixed(2)} % of ${counted} files have the name of an export`);
  if (process.argv.includes('--names')) for (const file of off) console.log(`  ${file}`);
  return share < NAMED ? [`fewer than ${NAMED} %: node scripts/layers.mjs --names lists the others`] : [];
}

const all = sources();
const faults = [...new Set([...sourceFaults(all), ...knots(all).flatMap(knotLines), ...nameFaults(all)])];
for (const fault of faults) console.error(fault);
console.log(`layers: ${all.length} files, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`);
process.exitCode = faults.length === 0 ? 0 : 1;
