import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { readJson, ROOT } from './packed.ts';

/** A package of others, as it is below the repository's `node_modules`. */
export type Installed = {
  readonly version: string;
  readonly manifest: object;
  /** As npm packs it. */
  pack(): Promise<Uint8Array>;
};

/** By name, the one at the top of `node_modules` first. Of native binaries only those of this platform are there. */
export function installedPackages(): ReadonlyMap<string, readonly Installed[]> {
  const { packages } = readJson(join(ROOT, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly link?: boolean; readonly version: string }>>;
  };
  const found = new Map<string, Installed[]>();
  const paths = Object.keys(packages).filter((path) => path.includes('node_modules/'));
  for (const path of paths.toSorted((a, b) => a.length - b.length)) {
    const folder = join(ROOT, path);
    if (packages[path]?.link === true || !existsSync(join(folder, 'package.json'))) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const manifest = readJson(join(folder, 'package.json')) as { readonly version: string };
    const one = { version: manifest.version, manifest, pack: () => packFolder(folder) };
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}

async function packFolder(folder: string): Promise<Uint8Array> {
  const tar = await packTar(
    [...filesBelow(folder)].map((path) => {
      const body = readFileSync(path);
      const name = `package/${relative(folder, path).split(sep).join('/')}`;
      return { header: { name, size: body.length, mode: statSync(path).mode & 0o777 }, body };
    }),
  );
  return gzipSync(tar, { level: 1 });
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && entry.name !== 'node_modules') yield* filesBelow(path);
  }
}
