import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Release } from './make-release.ts';
import { readManifests } from './pack-packages.ts';
import { ROOT } from './run-npm.ts';

export type PublishOptions = {
  /** Where the image goes, without a tag; undefined: nowhere. */
  readonly image: string | undefined;
  readonly log: (line: string) => void;
  /** Of npm, for example `--registry`. */
  readonly npmOptions?: readonly string[];
};

/** A release is of a commit that everybody can find by its tag. */
export function whyNotPublishable(): string | undefined {
  const tag = `v${readManifests()[0]?.version}`;
  if (git('status', '--porcelain') !== '') return 'the tree has changes: commit them first';
  const tags = git('tag', '--points-at', 'HEAD').split('\n');
  return tags.includes(tag) ? undefined : `the commit has no tag ${tag}: "git tag -s ${tag}" first`;
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  assert(status === 0, `git ${args[0]} failed:\n${stderr}`);
  return stdout.trim();
}

/**
 * Publishes each package after those that it depends on, and then pushes the image. What is there already is left out: after a failure
 * the same command goes on.
 */
export function publishRelease(
  folder: string,
  { packages, version }: Release,
  { image, log, npmOptions = [] }: PublishOptions,
): void {
  for (const { manifest, file } of packages) {
    const name = `${manifest.name}@${version}`;
    if (isPublished(name, npmOptions)) {
      log(`${name} is published already`);
      continue;
    }
    const provenance = process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined ? [] : ['--provenance'];
    const access = ['--access', 'public', ...provenance];
    run('npm', ['publish', resolve(folder, file), ...access, ...npmOptions]);
    log(`${name} is published`);
  }
  if (image === undefined) return;
  const archive = join(folder, `kubewright-${version}-image.tar`);
  run('skopeo', ['copy', '--all', `oci-archive:${archive}`, `docker://${image}:${version}`]);
  log(`${image}:${version} is pushed`);
}

function isPublished(name: string, npmOptions: readonly string[]): boolean {
  const args = ['view', name, 'version', '--loglevel=silent', ...npmOptions];
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '';
}

/** In the terminal of the person who publishes: npm may want a one-time password. */
function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  assert(status === 0, `${command} ${args[0]} failed${error === undefined ? '' : `: ${error.message}`}`);
}
