// Unpacks packages of Debian testing into a folder. The host's packages, and its apt, stay as they are.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** CRIU 4.1 of Debian stable fails at any TCP socket of Linux 6.16 and later. */
const PACKAGES = [
  'base-files',
  'busybox-static',
  'containerd',
  'containernetworking-plugins',
  'coreutils',
  'criu',
  'dash',
  'gzip',
  'iproute2',
  'iptables',
  'libstdc++6',
  'mount',
  'runc',
  'tar',
  'util-linux',
];
/** What the packages' maintainer scripts would have made. */
const LINKS = {
  'usr/bin/awk': 'busybox',
  ...Object.fromEntries(
    ['iptables', 'ip6tables'].flatMap((name) =>
      ['', '-save', '-restore'].map((verb) => [`usr/sbin/${name}${verb}`, 'xtables-nft-multi']),
    ),
  ),
};
const FILES = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
  'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};

/** The folder appears whole or not at all. */
export async function unpackNodeRoot(root, log) {
  mkdirSync(dirname(root), { recursive: true });
  const work = mkdtempSync(join(dirname(root), '.node-root-'));
  try {
    const archives = download(work, log);
    const unpacked = join(work, 'root');
    mkdirSync(unpacked);
    for (const archive of archives) await unpack(archive, unpacked);
    addRest(unpacked);
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

function download(work, log) {
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
  run('apt-get', ['install', '-q', '-y', '--download-only', ...PACKAGES], env);
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

function addRest(root) {
  for (const [name, target] of Object.entries(LINKS)) {
    if (!existsSync(join(root, name))) symlinkSync(target, join(root, name));
  }
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  for (const name of [
    'proc',
    'sys',
    'dev',
    'run',
    'tmp',
    'root',
    'etc/containerd',
    'etc/criu',
    'etc/cni/net.d',
  ]) {
    mkdirSync(join(root, name), { recursive: true });
  }
}
