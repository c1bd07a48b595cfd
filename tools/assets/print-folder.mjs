// What the commands that make programs have in common: they print what they do and, as the last line, alone, a folder.
import assert from 'node:assert/strict';
import { build } from './build.mjs';
import { holds, onPath } from './find.mjs';

/** Runs a command: prints the folder that it returns, or why there is none. */
export async function printFolder(make) {
  try {
    console.log(await make());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Builds what a folder lacks of `names`, with Go; `title` says what is built. */
export async function ensureBuilt(title, directory, names) {
  if (holds(directory, names)) return;
  const go = onPath('go');
  assert(go, 'Go is not installed: install it (https://go.dev/dl)');
  console.log(`${title}: building into ${directory}`);
  await build(go, directory, names, (line) => console.log(line));
}
