import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './run.ts';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** The parts of a package.json that the tests read. */
export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
};

/** A package of ours as `npm publish` would send it. */
export type Packed = {
  readonly manifest: Manifest;
  readonly file: string;
  readonly tarball: Buffer;
  readonly integrity: string;
};

/** Packs every workspace into `folder`. */
export async function packWorkspaces(folder: string): Promise<readonly Packed[]> {
  await npm(['pack', '--workspaces', '--pack-destination', folder], ROOT);
  const { workspaces } = readJson(join(ROOT, 'package.json')) as { workspaces: readonly string[] };
  return workspaces.map((workspace) => {
    const manifest = readJson(join(ROOT, workspace, 'package.json')) as Manifest;
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    const tarball = readFileSync(join(folder, file));
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    return { manifest, file, tarball, integrity };
  });
}

export const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
