// npm run assets:controllers [-- NAME …]: builds the controllers that `npm run test:controllers` plays.
// A controller that cannot be built does not keep the others. Prints as the last line, alone, the folder of the programs.
import assert from 'node:assert/strict';
import { buildController } from './build-controllers.mjs';
import { CONTROLLERS, controllersDirectory, findController } from './find-controllers.mjs';
import { onPath } from './find.mjs';
import { printFolder } from './print-folder.mjs';

async function main() {
  const directory = controllersDirectory();
  const given = process.argv.slice(2);
  const names = given.length > 0 ? given : Object.keys(CONTROLLERS);
  for (const name of names)
    assert(CONTROLLERS[name], `${name} is none of ${Object.keys(CONTROLLERS).join(', ')}`);
  const missing = names.filter((name) => findController(name) === undefined);
  const go = onPath('go');
  assert(go || missing.length === 0, 'Go is not installed: install it (https://go.dev/dl)');
  for (const name of missing) {
    console.log(`${name} ${CONTROLLERS[name].versions.join(' and ')}: building into ${directory}`);
    try {
      await buildController(go, directory, name, (line) => console.log(line));
    } catch (error) {
      console.error(`${name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  return directory;
}

await printFolder(main);
