import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT, runNpm } from './run-npm.ts';

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly exports?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

/** A package as npm would publish it. */
export type PackedPackage = {
  readonly manifest: Manifest;
  /** The archive's name in the folder. */
  readonly file: string;
  /** Path in the package → content. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

/** What only the repository needs; of a template all is for its users. */
const PRIVATE =
  /^(?!templates\/).*(?:\.test\.[\w.]+|\.contract\.[\w.]+|\.tsbuildinfo|tsconfig.*\.json)$|\/(?:testing|testdata)\//;

/** Packs all packages into `folder`, each below what it depends on, and finds their faults. */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  const out = runNpm('pack', '--workspaces', '--ignore-scripts', '--json', '--pack-destination', folder);
  const listed = JSON.parse(out) as readonly { readonly filename: string }[];
  const packages = await Promise.all(listed.map(({ filename }) => readPacked(folder, filename)));
  const faults = await Promise.all(packages.map((one) => faultsOf(folder, one)));
  assert.deepEqual([...versionFaults(packages), ...faults.flat()], [], 'the packages have faults');
  return packages;
}

/** Reads an archive that npm has packed. */
export async function readPacked(folder: string, file: string): Promise<PackedPackage> {
  const entries = await unpackTar(gunzipSync(readFileSync(join(folder, file))), { strip: 1 });
  const files = new Map(entries.map(({ header, data }) => [header.name, data ?? new Uint8Array()]));
  const manifest = JSON.parse(Buffer.from(files.get('package.json') ?? '').toString()) as Manifest;
  return { manifest, file, files };
}

/** All packages have one version, and depend on exactly that version of each other. */
export function versionFaults(packages: readonly Pick<PackedPackage, 'manifest'>[]): readonly string[] {
  const version = packages[0]?.manifest.version ?? '';
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  return packages.flatMap(({ manifest }) => {
    const wanted = Object.entries(manifest.dependencies ?? {});
    const others = wanted.filter(([name, range]) =>
      names.has(name) ? range !== version : !/^\d/.test(range),
    );
    return [
      ...(manifest.version === version
        ? []
        : [`${manifest.name} has version ${manifest.version}, not ${version}`]),
      ...others.map(([name, range]) => `${manifest.name} depends on ${name} ${range}: not one exact version`),
    ];
  });
}

/** What a user of one package would trip over. */
async function faultsOf(
  folder: string,
  { manifest, file, files }: PackedPackage,
): Promise<readonly string[]> {
  const tarball = readFileSync(join(folder, file));
  const { messages, pkg } = await publint({ pack: { tarball: arrayBuffer(tarball) }, strict: true });
  const missing = entriesOf(manifest).filter((path) => !files.has(path));
  const extra = [...files.keys()].filter((path) => PRIVATE.test(path));
  return [
    ...messages.map((message) => formatMessage(message, pkg) ?? message.code),
    ...missing.map((path) => `${path} is named and not there`),
    ...extra.map((path) => `${path} is for the repository only`),
    ...['LICENSE', 'README.md'].filter((path) => !files.has(path)).map((path) => `${path} is not there`),
  ].map((fault) => `${manifest.name}: ${fault}`);
}

const arrayBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

/** Every file that `exports` and `bin` name, whatever the conditions. */
function entriesOf({ exports = {}, bin = {} }: Manifest): readonly string[] {
  const targets = (value: unknown): readonly string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(targets);
  return [...targets(exports), ...targets(bin)]
    .filter((path) => !path.includes('*'))
    .map((path) => path.replace(/^\.\//, ''));
}

/** The packages of this repository, before they are packed. */
export function readManifests(): readonly Manifest[] {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'));
  const { workspaces } = read('.') as { readonly workspaces: readonly string[] };
  return workspaces.map((workspace) => read(workspace) as Manifest);
}
