import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvtestOptions } from '../../command-options.ts';
import { helpOf } from '../../envtest/binaries.ts';
import { BINARY_NAMES, type BinaryName } from '../../envtest/binary-names.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright envtest`: writes the launchers that suites look for, and prints their folder for `KUBEBUILDER_ASSETS`. */
export async function envtest({ directory }: EnvtestOptions, terminal: Terminal): Promise<void> {
  if (process.platform === 'win32')
    throw new KubewrightError('Usage', 'the launchers are shell scripts: run this in WSL');
  const folder = directory === undefined ? defaultFolder(terminal) : resolve(terminal.cwd, directory);
  try {
    await mkdir(folder, { recursive: true });
    for (const name of BINARY_NAMES) await writeLauncher(join(folder, name), launcher(name));
    await writeLauncher(join(folder, 'kubectl'), KUBECTL);
  } catch (error) {
    throw new KubewrightError('File', `cannot write ${folder}; choose another folder with --directory`, {
      cause: error,
    });
  }
  terminal.out(`${folder}\n`);
}

function defaultFolder({ env }: Terminal): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kubewright', 'envtest');
}

async function writeLauncher(path: string, script: string): Promise<void> {
  await writeFile(path, script);
  await chmod(path, 0o755);
}

/** Where the command itself is: beside the code that is running, bundled or not. */
function commandPath(): string {
  const here = fileURLToPath(import.meta.url);
  const root = here.slice(0, Math.max(here.lastIndexOf('/dist/'), here.lastIndexOf('/src/')));
  return join(root, 'bin', 'kubewright.mjs');
}

/** Suites ask for the help before each start: a shell has it at once. */
function launcher(name: BinaryName): string {
  const help = `if [ "$*" = --help ]; then printf %s ${quoted(helpOf(name))}; exit; fi`;
  return `#!/bin/sh\n${help}\nexec ${quoted(process.execPath)} ${quoted(commandPath())} envtest ${name} "$@"\n`;
}

/** A word of the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Suites seldom use it: the one of the machine, which stands behind this folder in `PATH`. */
const KUBECTL = `#!/bin/sh
here=$(cd "\${0%/*}" && pwd)
IFS=:
for folder in $PATH; do
  if [ "$folder" != "$here" ] && [ -x "$folder/kubectl" ]; then exec "$folder/kubectl" "$@"; fi
done
echo "kubectl: not found in PATH; install it first" >&2
exit 127
`;
