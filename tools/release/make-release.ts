import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { billOfMaterials } from './bill-of-materials.ts';
import { buildImage } from './build-image.ts';
import { imageBaseFiles } from './image-base.ts';
import { imageConfig, packageFiles } from './image-files.ts';
import type { ImageFile } from '../../packages/kubewright/src/image/image-layer.ts';
import { krewManifest } from './krew-manifest.ts';
import { packPackages, type PackedPackage } from './pack-packages.ts';
import { readImageBase } from './read-image-base.ts';
import { releaseNotes } from './release-notes.ts';
import { ROOT } from './run-npm.ts';

/** What a release holds, in the order in which it is made. */
export type Release = { readonly version: string; readonly packages: readonly PackedPackage[] };

export type ReleaseOptions = {
  /** Without it all else is made: the image needs apt of Debian. */
  readonly image: boolean;
  /** Nothing of it will be published: its notes may still be those of no version. */
  readonly isDraft: boolean;
  readonly log: (line: string) => void;
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Makes all files of a release in an empty `folder`, from what was built. */
export async function makeRelease(folder: string, { image, isDraft, log }: ReleaseOptions): Promise<Release> {
  mkdirSync(folder, { recursive: true });
  assert.deepEqual(readdirSync(folder), [], `${folder} is not empty`);
  const write = (name: string, content: Uint8Array | string): void => {
    writeFileSync(join(folder, name), content);
    log(`${name} ${megabytes(Buffer.byteLength(content))}`);
  };
  const packages = await packPackages(folder);
  for (const { file, files } of packages) log(`${file} ${files.size} files`);
  const command = packages.find(({ manifest }) => manifest.name === 'kubewright');
  assert(command !== undefined, 'the package kubewright is not there');
  const { version } = command.manifest;
  if (image) {
    const { archive, digest, unpacked } = await imageOf(command);
    write(`kubewright-${version}-image.tar`, archive);
    log(`image ${digest}, user ${imageConfig(version).User}`);
    for (const [name, bytes] of unpacked) log(`image for ${name}: ${megabytes(bytes)} unpacked`);
  }
  write('wright.yaml', krewManifest(version, command.file, readFileSync(join(folder, command.file))));
  write(`kubewright-${version}.yaml`, installManifests(version));
  const chart = join(ROOT, 'charts/kubewright');
  if (existsSync(chart)) {
    mkdirSync(join(folder, 'chart'));
    write(`chart/kubewright-${version}.tgz`, await packChart(chart));
  }
  write(`kubewright-${version}.cdx.json`, billOfMaterials(version, readImageBase()));
  write('NOTES.md', releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, isDraft));
  write('SHA256SUMS', checksums(folder));
  return { version, packages };
}

async function imageOf(command: PackedPackage) {
  const base = readImageBase();
  const bases = { amd64: await imageBaseFiles(base, 'amd64'), arm64: await imageBaseFiles(base, 'arm64') };
  const image = await buildImage({ command, created: sourceTime(), bases });
  const own = bytesOf(packageFiles(command.files));
  return {
    ...image,
    unpacked: Object.entries(bases).map(([name, files]) => [name, bytesOf(files) + own] as const),
  };
}

function bytesOf(files: readonly ImageFile[]): number {
  return files.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), 0);
}

/** When the source was committed: what is built of it again has the same digest. SOURCE_DATE_EPOCH is for a source without git. */
function sourceTime(): string {
  const given = process.env['SOURCE_DATE_EPOCH'];
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' });
  const seconds = Number(given ?? stdout ?? 0);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function installManifests(version: string): string {
  const command = join(ROOT, 'packages/kubewright/bin/kubewright.mjs');
  const args = [command, 'install', '--image', `kubewright:${version}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  assert(status === 0, `kubewright install failed:\n${stderr}`);
  return stdout;
}

/** As `helm package`: one folder of the chart's name. */
async function packChart(chart: string): Promise<Uint8Array> {
  const files = readdirSync(chart, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  const tar = await packTar(
    paths.map((path) => {
      const body = readFileSync(path);
      const name = `kubewright${path.slice(chart.length)}`;
      return { header: { name, size: body.length, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 }, body };
    }),
  );
  return gzipSync(tar, { level: 9 });
}

/** For `sha256sum --check` in the folder. */
function checksums(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
  const hash = (path: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return paths.map((path) => `${hash(path)}  ${path}\n`).join('');
}
