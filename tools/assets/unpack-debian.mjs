// Unpacks packages of Debian testing into a folder. The host's packages, and its apt, stay as they are.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The folder `root` appears whole or not at all. `complete` adds to the unpacked folder what no package brings. */
export async function unpackDebian(root, { packages, complete, log }) {
  mkdirSync(dirname(root), { recursive: true });
  const work = mkdtempSync(join(dirname(root), '.debian-'));
  try {
    const archives = download(work, packages, log);
    const unpacked = join(work, 'root');
    mkdirSync(unpacked);
    for (const archive of archives) await unpack(archive, unpacked);
    complete(unpacked);
    log(`  unpacked ${archives.length} packages`);
    rmSync(root, { recursive: true, force: true });
    renameSync(unpacked, root);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** From the mirror that the host's own apt takes Debian's packages from. */
function mirror() {
  const format = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const found = run('apt-get', format)
    .split('\n')
    .find((uri) => /\/debian\/?$/.test(uri));
  assert(found, 'apt knows no mirror of Debian: this machine is of another distribution');
  return found;
}

/** With what the packages depend on. */
function download(work, packages, log) {
  for (const folder of ['lists/partial', 'archives/partial', 'etc']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  writeFileSync(join(work, 'status'), '');
  writeFileSync(join(work, 'sources.list'), `deb [signed-by=${KEYS}] ${mirror()} testing main\n`);
  const config = join(work, 'apt.conf');
  writeFileSync(config, `${settings(work).join('\n')}\n`);
  const env = { ...process.env, APT_CONFIG: config, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-q'], env);
  log('  downloading');
  run('apt-get', ['install', '-q', '-y', '--download-only', ...packages], env);
  const archives = readdirSync(join(work, 'archives')).filter((name) => name.endsWith('.deb'));
  return archives.map((name) => join(work, 'archives', name));
}

function settings(work) {
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
  ];
}

function run(command, args, env = process.env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, encoding: 'utf8' });
  const lines = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n');
  assert(status === 0, `${command} ${args[0]} failed:\n${lines}`);
  return stdout;
}

/** No script of a package runs. */
async function unpack(archive, folder) {
  const content = spawn('dpkg-deb', ['--fsys-tarfile', archive], { stdio: ['ignore', 'pipe', 'inherit'] });
  const tar = spawn('tar', ['-x', '-C', folder, '--keep-directory-symlink'], {
    stdio: [content.stdout, 'ignore', 'inherit'],
  });
  const codes = await Promise.all(
    [content, tar].map((child) => new Promise((end) => child.once('exit', end))),
  );
  assert(
    codes.every((code) => code === 0),
    `${archive} could not be unpacked`,
  );
}
