// apt on a suite of Debian in a folder of its own: the host's packages, and its apt, stay as they are.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Returns what runs `apt-get` in `cwd`, by default in `work`, and gives what it printed; the lists of packages are current. */
export function openApt(work, suite, { architectures = [], cwd = work } = {}) {
  for (const folder of ['lists/partial', 'archives/partial', 'etc/apt.conf.d', 'etc/preferences.d']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  writeFileSync(join(work, 'status'), '');
  writeFileSync(join(work, 'sources.list'), `deb [signed-by=${KEYS}] ${mirror()} ${suite} main\n`);
  const config = join(work, 'apt.conf');
  writeFileSync(config, `${settings(work, architectures).join('\n')}\n`);
  const env = { ...process.env, APT_CONFIG: config, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => run('apt-get', args, { env, cwd });
  apt('update', '-q');
  return apt;
}

/** The mirror that the host's own apt takes Debian's packages from. */
function mirror() {
  const format = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const found = run('apt-get', format)
    .split('\n')
    .find((uri) => /\/debian\/?$/.test(uri));
  assert(found, 'apt knows no mirror of Debian: this machine is of another distribution');
  return found;
}

function settings(work, architectures) {
  return [
    `Dir::State "${work}";`,
    `Dir::State::status "${work}/status";`,
    `Dir::Cache "${work}";`,
    `Dir::Etc "${work}/etc";`,
    `Dir::Etc::sourcelist "${work}/sources.list";`,
    'Acquire::Check-Valid-Until "false";',
    'Acquire::Languages "none";',
    'Acquire::Retries "3";',
    'APT::Sandbox::User "root";',
    'APT::Install-Recommends "false";',
    ...architectures.map((name) => `APT::Architectures:: "${name}";`),
  ];
}

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' });
  const lines = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n');
  assert(status === 0, `${command} ${args[0]} failed:\n${lines}`);
  return stdout;
}
