// Makes the folder of a RabbitMQ node: packages of Debian testing, whose programs run on the libraries beside them.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebian } from './unpack-debian.mjs';

/** The folder appears whole or not at all. */
export async function unpackRabbitMq(root, log) {
  const complete = (unpacked) => wrapErlang(unpacked, root);
  await unpackDebian(root, { packages: ['rabbitmq-server'], complete, log });
}

/**
 * The host's C library may be older than the one that these programs need: each is called through the dynamic linker that came
 * with it. `root` is where the folder will be.
 */
function wrapErlang(unpacked, root) {
  const [libraries, linker] = findLinker(unpacked);
  const [erts] = readdirSync(join(unpacked, 'usr/lib/erlang')).filter((name) => name.startsWith('erts-'));
  const programs = `usr/lib/erlang/${erts}/bin`;
  mkdirSync(join(unpacked, programs, 'programs'));
  mkdirSync(join(unpacked, 'bin'));
  const call = (program) =>
    `exec '${join(root, libraries, linker)}' --library-path '${join(root, libraries)}' --argv0 '${join(root, programs, program)}' '${join(root, programs, 'programs', program)}' "$@"`;
  for (const name of readdirSync(join(unpacked, programs)).filter(isProgram(join(unpacked, programs)))) {
    renameSync(join(unpacked, programs, name), join(unpacked, programs, 'programs', name));
    script(join(unpacked, programs, name), [call(name)]);
  }
  const settings = [`ROOTDIR='${join(root, 'usr/lib/erlang')}'`, `BINDIR='${join(root, programs)}'`];
  const exported = [...settings, 'EMU=beam', 'PROGNAME=erl', 'export ROOTDIR BINDIR EMU PROGNAME'];
  for (const folder of ['bin', programs])
    script(join(unpacked, folder, 'erl'), [...exported, 'exec "$BINDIR/erlexec" "$@"']);
  for (const name of ['escript', 'epmd'])
    script(join(unpacked, 'bin', name), [`exec '${join(root, programs, name)}' "$@"`]);
}

/** The folder of the libraries, and the name of the dynamic linker in it. */
function findLinker(unpacked) {
  for (const folder of readdirSync(join(unpacked, 'usr/lib'), { withFileTypes: true })) {
    if (!folder.isDirectory() || !folder.name.includes('-linux-gnu')) continue;
    const linker = readdirSync(join(unpacked, 'usr/lib', folder.name)).find((name) =>
      name.startsWith('ld-linux'),
    );
    if (linker !== undefined) return [`usr/lib/${folder.name}`, linker];
  }
  assert.fail('the packages bring no dynamic linker');
}

const isProgram = (folder) => (name) =>
  name !== 'programs' && readFileSync(join(folder, name)).subarray(1, 4).toString() === 'ELF';

function script(path, lines) {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
}
