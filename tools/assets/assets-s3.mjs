// npm run assets:s3 [-- NAME …]: makes sure that servers of the S3 protocol are there: rclone, versitygw, SeaweedFS (weed), moto.
// Prints as the last line, alone, the folder in which each has its own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { onPath } from './find.mjs';
import {
  findMoto,
  MOTO_VERSION,
  motoDirectory,
  programDirectory,
  S3_MODULES,
  S3_VERSIONS,
  s3Directory,
} from './find-s3.mjs';
import { ensureBuilt, printFolder } from './print-folder.mjs';

const MOTO = 'moto';
const NAMES = [...Object.keys(S3_MODULES), MOTO];

await printFolder(async () => {
  const given = process.argv.slice(2);
  for (const name of given) assert(NAMES.includes(name), `${name} is none of ${NAMES.join(', ')}`);
  for (const name of given.length > 0 ? given : NAMES) {
    if (name === MOTO) installMoto();
    else await ensureBuilt(`${name} ${S3_VERSIONS[name]}`, programDirectory(name), [name]);
  }
  return s3Directory();
});

/** The folder appears whole or not at all. */
function installMoto() {
  if (findMoto() !== undefined) return;
  const python = onPath('python3');
  assert(python, 'Python 3 is not installed');
  console.log(`moto ${MOTO_VERSION}: installing into ${motoDirectory()}`);
  const partial = `${motoDirectory()}.${process.pid}`;
  // Its extra "server" would bring the emulations of all services.
  const packages = [`moto[s3]==${MOTO_VERSION}`, 'flask', 'flask-cors'];
  try {
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-warn-conflicts',
      '--root-user-action=ignore',
      '--target',
      partial,
      ...packages,
    ];
    execFileSync(python, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(partial, motoDirectory());
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
