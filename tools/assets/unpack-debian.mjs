// Unpacks packages of Debian testing into a folder. The host's packages, and its apt, stay as they are.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openApt } from './open-apt.mjs';

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

/** With what the packages depend on. */
function download(work, packages, log) {
  const apt = openApt(work, 'testing');
  log('  downloading');
  apt('install', '-q', '-y', '--download-only', ...packages);
  const archives = readdirSync(join(work, 'archives')).filter((name) => name.endsWith('.deb'));
  return archives.map((name) => join(work, 'archives', name));
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
