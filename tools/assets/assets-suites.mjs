// npm run assets:suites [-- NAME …]: builds the test binaries of other people's suites that `npm run test:suites` runs.
// A suite that cannot be built does not keep the others. Prints as the last line, alone, the folder of the suites.
import assert from 'node:assert/strict';
import { buildSuite } from './build-suites.mjs';
import { SUITES, findSuite, suitesDirectory } from './find-suites.mjs';
import { onPath } from './find.mjs';
import { printFolder } from './print-folder.mjs';

async function main() {
  const given = process.argv.slice(2);
  const names = given.length > 0 ? given : Object.keys(SUITES);
  for (const name of names) assert(SUITES[name], `${name} is none of ${Object.keys(SUITES).join(', ')}`);
  const missing = names.filter((name) => findSuite(name) === undefined);
  const go = onPath('go');
  assert(go || missing.length === 0, 'Go is not installed: install it (https://go.dev/dl)');
  for (const name of missing) {
    console.log(`${name} ${SUITES[name].version}: building into ${suitesDirectory()}`);
    try {
      await buildSuite(go, name, (line) => console.log(line));
    } catch (error) {
      console.error(`${name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  return suitesDirectory();
}

await printFolder(main);
