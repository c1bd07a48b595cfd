// Makes the root of a node: packages of Debian testing, unpacked into a folder.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebian } from './unpack-debian.mjs';

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
  await unpackDebian(root, { packages: PACKAGES, complete: addRest, log });
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
