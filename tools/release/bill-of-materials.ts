import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_PACKAGES } from './base-archives.ts';
import { type Manifest, readManifests } from './pack-packages.ts';
import type { ImageBase } from './read-image-base.ts';
import { ROOT } from './run-npm.ts';

/** The parts of a package in package-lock.json that a bill of materials is made of. */
type Locked = {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
type Lock = Readonly<Record<string, Locked>>;

type Component = {
  readonly 'bom-ref': string;
  readonly type: 'library' | 'application';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
};

/**
 * What a release consists of, as CycloneDX 1.6: our packages, what they depend on or have in their bundle, and what is below them
 * in the image. `npm sbom` leaves out what is also a development dependency of the repository. The same release has the same bill:
 * its serial number is made of its content.
 */
export function billOfMaterials(version: string, { node, debian }: ImageBase): string {
  const ours = readManifests();
  const packages = new Map(ours.map((manifest) => [manifest.name, ourComponent(manifest)]));
  const { components, dependencies } = closure(ours, packages);
  const debs = Object.entries(debian.packages).map(([name, pinned]) => {
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(pinned.version)}?distro=${debian.suite}`;
    return component('library', name, pinned.version, purl);
  });
  const runtime = Object.values(NODE_PACKAGES).map((name) =>
    component('application', name, node.version, `pkg:npm/${name}@${node.version}`),
  );
  const content = {
    metadata: {
      component: component('application', 'kubewright-release', version, `pkg:generic/kubewright@${version}`),
    },
    components: [...packages.values(), ...components, ...runtime, ...debs],
    dependencies,
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${uuid}`, version: 1 };
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`;
}

function ourComponent({ name, version }: Manifest): Component {
  const licenses = [{ expression: 'Apache-2.0' }];
  return { ...component('library', name, version, npmUrl(name, version)), licenses };
}

function component(type: Component['type'], name: string, version: string, purl: string): Component {
  return { 'bom-ref': purl, type, name, version, purl };
}

const npmUrl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** All that our packages need at run time: what they depend on, and that of `kubewright`, which has it in its bundle. */
function closure(ours: readonly Manifest[], packages: ReadonlyMap<string, Component>) {
  const lock = readLock();
  const found = new Map<string, Component>();
  const dependencies = new Map<string, readonly string[]>();
  const visit = (from: string, ref: string, wanted: Readonly<Record<string, string>>): void => {
    const refs = Object.keys(wanted).flatMap((name) => {
      const own = packages.get(name);
      if (own !== undefined) return [own['bom-ref']];
      const path = resolveLocked(lock, from, name);
      const locked = path === undefined ? undefined : lock[path];
      if (path === undefined || locked === undefined) return [];
      const purl = npmUrl(name, locked.version);
      if (!found.has(purl)) {
        found.set(purl, lockedComponent(name, purl, locked));
        visit(path, purl, locked.dependencies ?? {});
      }
      return [purl];
    });
    dependencies.set(ref, [...new Set(refs)].toSorted());
  };
  for (const manifest of ours) {
    const bundled = manifest.dependencies === undefined ? manifest.devDependencies : undefined;
    visit('', npmUrl(manifest.name, manifest.version), { ...manifest.dependencies, ...bundled });
  }
  return {
    components: [...found.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
    dependencies: [...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

function readLock(): Lock {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Lock;
  };
  return packages;
}

/** Node's way to a package: the nearest `node_modules` upwards from who needs it. */
function resolveLocked(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

function lockedComponent(name: string, purl: string, { version, integrity, license }: Locked): Component {
  assert(integrity !== undefined, `${name} has no hash in package-lock.json`);
  const [algorithm = '', hash = ''] = integrity.split('-', 2);
  const content = Buffer.from(hash, 'base64').toString('hex');
  return {
    ...component('library', name, version, purl),
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content }],
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
}
